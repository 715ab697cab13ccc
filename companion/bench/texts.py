"""Messages as long as those of real chats, the same ones each time."""

import random

MEAN_WORDS, SPREAD_WORDS = 26, 11
SHORTEST, LONGEST = 4, 70
COMMON_SHARE = 0.8
"""In LoCoMo's conversations the 300 most frequent words are four in five of all."""

COMMON = """
    it and i to a the you my for that your me so of thanks great is was with we really what been
    can in how make have keep on love be dance this do like about support our help they are hey
    all last going lot people made some tough just family cool time out see work get had kids
    studio way sounds glad us at much let here together good when there them from those did their
    feel doing sure important own looks making always life art new such into others show things
    something more being has stay means other nice store anything go since who no having too fun
    hard seeing dreams by special need through business as experience wait positive happy give
    one words right hear part even best will week nature joy don after long each moments impact
    journey excited want or now look off back know were key event come find take not kind hope
    around times place everyone found job still mean where yesterday health day think felt share
    real both stuff lately must next big bring happen running friends wanted started goals true
    also stories totally better progress could reach check agree month future strength same loved
    never huge learning someone down group home lucky tell coming strong why while few idea
"""
RARE = """
    garden pottery river guitar recipe violin museum winter camping lantern bicycle market sister
    library coffee painting harbour tomato marathon balcony puppy orchard novel thunder teacher
    swimming festival suitcase blanket kitchen birthday mountain window ticket island theatre
    dentist anniversary sandwich raincoat neighbour chess sunflower ferry village pharmacy bakery
    airport cousin grandmother cinema concert cottage desert engine factory forest fountain hiking
    holiday hospital invitation jacket journal kettle keyboard ladder laundry lawyer lemon letter
    lighthouse lunch magazine medal melody mirror morning necklace nephew notebook ocean onion
    oven palace parade parcel passport pasta pencil pension piano picnic pillow pocket poem police
    postcard potato princess printer promise puzzle quarrel radio railway rainbow restaurant salad
    sailing sauna scarf season secret shoulder signature silence skiing soap sofa squirrel station
    storm strawberry street student sugar summer supper surgeon sweater table tailor tenant tennis
    toast tower tractor traffic treasure trousers umbrella uncle university vacation valley
    vegetable visitor volcano waiter wallet waterfall weather wedding weekend whistle wizard
    workshop yoghurt zebra apology autumn badge barber basket beetle bonus border bottle branch
    brother butter cabin candle canvas captain carpet castle ceiling cherry chimney circus clinic
    closet coach comedy compass copper costume cradle curtain daughter diploma dolphin drawer
"""


class Texts:
    """Makes one message after another. The same seed gives the same messages."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)  # noqa: S311 - chats, not secrets
        self._common, self._rare = COMMON.split(), RARE.split()

    def message(self) -> str:
        """The next message."""
        wanted = round(self._random.gauss(MEAN_WORDS, SPREAD_WORDS))
        words = [self._word() for _ in range(min(max(wanted, SHORTEST), LONGEST))]
        return " ".join(words).capitalize() + "."

    def _word(self) -> str:
        if self._random.random() < COMMON_SHARE:
            # the earlier in the list, the more often: about as words are spread in any language
            return self._common[int(len(self._common) * self._random.random() ** 2)]
        return self._random.choice(self._rare) + self._random.choice(("", "s"))
