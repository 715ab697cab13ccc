"""What the commands do, in people's languages: for the menus that platforms show.

Another language is a name in LANGUAGES and a word behind each command; another command is a row.
Who has none of these languages reads English, and so does whoever looks at a command without a row.
"""

LANGUAGES = ("de", "es", "fr", "pt", "ru", "zh")
"""ISO 639-1, in the order of the words below."""

_HELP = {
    "start": (
        "Hallo sagen",
        "saludar",
        "dire bonjour",
        "dizer olá",
        "поздороваться",
        "打个招呼",
    ),
    "help": (
        "diese Liste",
        "esta lista",
        "cette liste",
        "esta lista",
        "этот список",
        "查看所有命令",
    ),
    "memory": (
        "was ich von dir weiß",
        "lo que recuerdo de ti",
        "ce que je sais de toi",
        "o que me lembro de ti",
        "что я о тебе помню",
        "我记得你的哪些事",
    ),
    "remember": (
        "etwas merken",
        "recordar algo",
        "retenir quelque chose",
        "guardar algo na memória",
        "запомнить что-то",
        "记住一件事",
    ),
    "forget": (
        "etwas vergessen; ich frage vorher nach",
        "olvidar algo; pregunto antes",
        "oublier quelque chose ; je demande d'abord",
        "esquecer algo; pergunto antes",
        "забыть что-то; сначала спрошу",
        "忘掉一件事，之前会先问你",
    ),
    "undo": (
        "die letzte Änderung meiner Notizen zurücknehmen",
        "deshacer el último cambio en mis notas",
        "annuler le dernier changement de mes notes",
        "anular a última alteração das minhas notas",
        "отменить последнее изменение в моих заметках",
        "撤销我笔记的上一次改动",
    ),
    "search": (
        "finden, was gesagt oder notiert wurde",
        "buscar lo dicho o anotado",
        "retrouver ce qui a été dit ou noté",
        "procurar o que foi dito ou anotado",
        "найти сказанное или записанное",
        "查找说过或记下的内容",
    ),
    "timezone": (
        "sagen, wo du bist, oder nachsehen",
        "decir dónde estás, o verlo",
        "dire où tu es, ou le voir",
        "dizer onde estás, ou ver",
        "сказать, где ты, или посмотреть",
        "告诉我你的时区，或查看它",
    ),
    "quiet": (
        "Stunden, in denen ich nicht von mir aus schreibe",
        "horas en las que no escribo por mi cuenta",
        "heures où je n'écris pas de moi-même",
        "horas em que não escrevo por iniciativa minha",
        "часы, когда я не пишу первым",
        "我不主动打扰你的时段",
    ),
    "openers": (
        "ob ich dir von mir aus schreiben darf",
        "si puedo escribirte yo primero",
        "si je peux t'écrire en premier",
        "se posso escrever-te primeiro",
        "можно ли мне писать первым",
        "我可不可以先写给你",
    ),
    "why": (
        "warum ich dir zuletzt von mir aus schrieb",
        "por qué te escribí yo la última vez",
        "pourquoi je t'ai écrit en premier la dernière fois",
        "porque te escrevi da última vez",
        "почему я в последний раз написал первым",
        "上次我为什么先写给你",
    ),
    "reminders": (
        "was geplant ist; hinzufügen oder absagen",
        "lo programado; añadir o cancelar",
        "ce qui est prévu ; ajouter ou annuler",
        "o que está marcado; juntar ou cancelar",
        "что запланировано; добавить или отменить",
        "查看、添加或取消提醒",
    ),
    "snooze": (
        "die letzte Erinnerung später noch einmal",
        "repetir más tarde el último recordatorio",
        "répéter le dernier rappel plus tard",
        "repetir mais tarde o último lembrete",
        "повторить последнее напоминание позже",
        "稍后再次提醒",
    ),
    "pause": (
        "eine Weile nur an Erinnerungen schreiben",
        "durante un tiempo, solo recordatorios",
        "pendant un temps, seulement les rappels",
        "durante uns tempos, só lembretes",
        "на время писать только напоминания",
        "暂停一段时间，只发提醒",
    ),
    "resume": (
        "die Pause beenden",
        "terminar la pausa",
        "finir la pause",
        "terminar a pausa",
        "закончить паузу",
        "结束暂停",
    ),
    "persona": (
        "wie ich bin, und es ändern",
        "cómo soy, y cambiarlo",
        "comment je suis, et le changer",
        "como eu sou, e mudá-lo",
        "какой у меня характер, и изменить его",
        "查看或改变我的性格",
    ),
    "link": (
        "ein anderes Konto von dir verbinden",
        "unir otra cuenta tuya",
        "relier un autre compte à toi",
        "ligar outra conta tua",
        "связать ещё одну твою учётную запись",
        "关联你的另一个账号",
    ),
    "unlink": (
        "ein verbundenes Konto wieder trennen",
        "separar una cuenta unida",
        "séparer un compte relié",
        "separar uma conta ligada",
        "отвязать связанную учётную запись",
        "解除账号关联",
    ),
    "usage": (
        "was unser Gespräch gekostet hat",
        "lo que ha costado nuestra charla",
        "ce que notre conversation a coûté",
        "quanto custou a nossa conversa",
        "сколько стоил наш разговор",
        "我们的对话花了多少",
    ),
    "privacy": (
        "was gespeichert wird",
        "qué se guarda",
        "ce qui est conservé",
        "o que é guardado",
        "что хранится",
        "保存了哪些内容",
    ),
    "export": (
        "alles, was ich von dir habe, als Datei",
        "todo lo que tengo de ti, en un archivo",
        "tout ce que j'ai de toi, dans un fichier",
        "tudo o que tenho de ti, num ficheiro",
        "всё, что у меня есть о тебе, в файле",
        "把你的全部数据导出为文件",
    ),
    "erase": (
        "alles von dir löschen lassen; ich frage vorher nach",
        "borrar todo lo tuyo; pregunto antes",
        "faire effacer tout ce qui est à toi ; je demande d'abord",
        "apagar tudo o que é teu; pergunto antes",
        "стереть всё твоё; сначала спрошу",
        "删除你的全部数据，之前会先问你",
    ),
    "status": (
        "wie es mir geht",
        "cómo estoy",
        "comment je vais",
        "como estou",
        "как у меня дела",
        "我的运行情况",
    ),
}


def in_other_languages(command: str) -> dict[str, str]:
    """What `command` does, by language; empty for one that nobody has translated."""
    words = _HELP.get(command)
    return dict(zip(LANGUAGES, words, strict=True)) if words else {}
