"""What tells that a sentence is about a birthday, a promise, or something that is still open.

English, German and Chinese. A clue that fails costs a candidate; one that misleads is seen by the
model, which reads the sentence.
"""

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


BIRTHDAY = _any(
    r"\bbirthdays?\b",
    r"\bwas born (?:on|in)\b",
    r"\bborn on\b",
    r"\bturn(?:s|ing)? \d{1,3}\b",
    r"\bgeburtstag\b",
    r"\bgeboren\b",
    "生日|出生",
)
OWN_BIRTHDAY = _any(
    r"\bmy (?:own |\d+\w* )?birthday\b",
    r"\bI(?:['’]m| am| was)? (?:turn\w*|born)\b",
    r"\bmein geburtstag\b",
    r"\bich (?:werde|bin) .*(?:jahre|geboren)",
    "我的?生日|我.*出生",
)
CALLED_OFF = _any(
    r"\bcancel\w*\b",
    r"\bcalled off\b",
    r"\bpostponed\b",
    r"\b(?:moved|rescheduled) (?:to|for)\b",
    r"\b(?:not|isn['’]t|won['’]t be) happening\b",
    r"\babgesagt\b",
    r"\bverschoben\b",
    r"\bfällt aus\b",
    "取消|推迟|改期",
)
WEIGHTY = _any(
    r"\b(?:interview|exam|test|surgery|operation|hospital|doctor|dentist|biopsy|results?|wedding"
    r"|funeral|court|hearing|deadline|presentation|audition|concert|marathon|race|match|flight"
    r"|trip|first day|appointment|driving test|defen[cs]e|recital|date with)\b",
    r"\b(?:vorstellungsgespräch|prüfung|klausur|hochzeit|beerdigung|arzttermin|zahnarzt|umzug"
    r"|konzert|flug|reise)\b",
    r"\boperation\b",
    "面试|考试|手术|婚礼|葬礼|医生|比赛|演出",
)
PROMISE = _any(
    r"\bI promise\b",
    r"\bI['’]ll (?:let you know|tell you|send you|show you|report back)\b",
    r"\bI will (?:let you know|tell you|send you|show you)\b",
    r"\b(?:has )?promised (?:to|that|my|her|him|them)\b",
    r"\bich (?:verspreche|sag dir bescheid|erzähl(?:e)? dir|schick(?:e)? dir)\b",
    "我保证|我会告诉你|答应",
)
OUR_PROMISE = _any(
    r"\bI(?:['’]ll| will) (?:ask|check|think about|look (?:it|that|for)|find out|come back"
    r"|remember to|remind|write to you|get back)\b",
    r"\bI promise\b",
    r"\bich (?:frage dich|frag dich|melde mich|denke darüber nach|erinnere dich)\b",
    "我会(?:问|提醒|记得)|我保证",
)
OPEN_THREAD = _any(
    r"\bwaiting (?:for|to hear|on)\b",
    r"\b(?:worried|nervous|anxious|scared|stressed) (?:about|because|that)\b",
    r"\b(?:hoping|I hope|hope) to\b",
    r"\blooking for (?:a|an|my|some|work)\b",
    r"\btrying to\b",
    r"\bstill (?:haven['’]t|have not|need to|have to|no news)\b",
    r"\b(?:can['’]t decide|not sure (?:if|whether)|undecided)\b",
    r"\b(?:thinking|thought) (?:of|about) \w+ing\b",
    r"\bconsidering\b",
    r"\b(?:is|are|was|been) (?:ill|sick|in hospital|in the hospital|injured)\b",
    r"\b(?:broke|sprained|hurt) (?:my|her|his|their)\b",
    r"\b(?:ich warte auf|mache mir sorgen|überlege|hoffe(?:,)? (?:dass|zu)|suche (?:eine?n?))\b",
    r"\bist krank\b",
    "等消息|在等|担心|还没决定|考虑|生病|找工作",
)
