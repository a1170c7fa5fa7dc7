"""Word lists for English: what is no name, what points to a person or a place, and what says little."""

from __future__ import annotations

from st_bme.write.heuristics.word_set import word_set

FUNCTION_WORDS = word_set(
    """
    a about above across after again against ago ah all almost along already also although always am an and another
    any anyone anything anyway anywhere are aren't around as at away back be because been before behind being below
    beside besides between beyond both but by came can can't cannot come comes coming could couldn't did didn't do
    does doesn't doing don't done down during each either else enough etc even ever every everyone everything
    everywhere except far few first for from front further get gets getting go goes going gone gonna got gotta had
    hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his hmm how
    how's however huh i i'd i'll i'm i've if in indeed inside instead into is isn't it it'd it'll it's its itself
    just keep kind kinda last later least less let let's like likely little lol long lot lots made make makes making
    many may maybe me mean might mine more most much must my myself near nearly need neither never next no nobody
    none nor not nothing now of off often oh ok okay omg on once one ones only onto or other others otherwise ought
    our ours ourselves out over own part perhaps please pretty put quite rather re really right said same say saying
    says see seem seemed seems shall she she'd she'll she's should shouldn't since so some somebody someone
    something sometimes somewhere soon sort still stuff such sure take takes than that that'd that'll that's the
    their theirs them themselves then there there's these they they'd they'll they're they've thing things think
    this those though through thus till to today together tomorrow tonight too took toward towards try u under
    unless until up upon ur us use used uh um very want wanted wants was wasn't way we we'd we'll we're we've well
    went were weren't what what's whatever when whenever where where's wherever whether which while who who's
    whoever whole whom whose why will with within without won't would wouldn't yeah yep yes yesterday yet you you'd
    you'll you're you've your yours yourself yourselves good great nice bad big new old know knew known look looks
    looking looked feel feels felt tell told ask asked give gave find found day time people haha hahaha lmao idk tho
    rn btw hi hey hello thanks thank sorry awesome cool wow amazing fun funny bit thats dont doesnt didnt cant
    couldnt wont wouldnt isnt wasnt arent im ive ill youre youve theyre theyve shes hes whats theres lets wanna
    cause cuz ya yea nah ooh aww yay damn dang definitely honestly actually basically literally probably totally
    absolutely especially finally
    """
)
"""Words that carry no news of their own."""

NOT_NAMES = word_set(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August
    September October November December Spring Summer Autumn Fall Winter Christmas Easter Halloween Thanksgiving
    Valentine Valentines New Year Eve Day Night Morning Evening Afternoon Today Tomorrow Yesterday Tonight English
    French Spanish German Italian Chinese Japanese Korean Russian Dutch Greek Latin Arabic Hindi Portuguese Turkish
    American British European African Asian Indian Mexican Canadian Australian Irish Scottish Christian Muslim
    Jewish Buddhist Catholic Hebrew Swedish Polish Thai Vietnamese God Lord Goddess Gods Heaven Hell Jesus Bible Sir
    Madam Ma'am Miss Mister Master Mistress Mom Mum Dad Mommy Daddy Mama Papa Mother Father Grandma Grandpa
    Grandmother Grandfather Brother Sister Uncle Aunt Auntie Son Daughter Baby Babe Honey Dear Darling Sweetheart
    Love Boss Captain Doctor Professor King Queen Prince Princess Lady Duke Emperor Commander General Internet
    Google Facebook Instagram Twitter Youtube YouTube TikTok Netflix Reddit Spotify Amazon Discord Whatsapp WhatsApp
    Zoom Uber Apple Iphone iPhone Android Windows Tv Pc Ai Ok Okay Lol Omg Haha Hahaha Yeah Yes No Nope Yep Oh Ah
    Wow Hey Hi Hello Hmm Mmm Um Uh Ugh Well So But And Or If When While Where What Who Why How Which That This These
    Those There Here The It He She They We You Its His Her Their Our Your My Not Now Then Just Still Even Also Too
    Very Really Maybe Perhaps Please Thanks Thank Sorry Sure Right Wrong Good Great Nice Bad Best Better Fine True
    False Everything Nothing Something Anything Everyone Nobody Someone Anyone Covid Olympics Wifi Goodbye Bye
    Congrats Congratulations Cheers Damn Fuck Shit Gosh Jeez Welcome Come Go Let Look Listen Wait Stop Stay Keep
    Take Give Tell Think Know Remember Forget
    """
)
"""Capitalised words that name neither a person nor a place."""

TITLES = word_set(
    """
    Mr Mrs Ms Miss Mister Dr Doctor Professor Prof Sir Madam Lady Lord King Queen Prince Princess Captain Commander
    General Colonel Major Sergeant Officer Detective Inspector Uncle Aunt Auntie Father Mother Brother Sister Master
    Mistress Duke Duchess Baron Baroness Count Countess Emperor Empress Saint Grandma Grandpa Coach Judge President
    Chef
    """
)
"""Stand before a person's name and belong to it."""

PERSON_BEFORE = word_set(
    """
    with told tell tells telling asked ask asks asking met meet meets meeting called calls named name thank thanks
    thanked hey hi hello dear goodbye bye morning friend friends brother sister mother father mom dad wife husband
    son daughter cousin uncle aunt boss boyfriend girlfriend fiance fiancee partner roommate colleague neighbor
    neighbour nephew niece love loves loved married marry marries kissed kisses hugged hugs trust trusts trusted
    help helped helps remember remembered joined saw seen watched heard knew know knows miss missed misses invited
    believe believed protect follow followed believes forgive forgave killed kill saved save warned warn dog cat
    puppy kitten horse brothers sisters twins
    """
)
"""Words behind which a capitalised word is a person."""

ACTING = word_set(
    """
    says said asks asked replies replied whispers whispered murmurs murmured mutters muttered answers answered
    shouts shouted yells yelled nods nodded smiles smiled laughs laughed grins grinned sighs sighed shrugs shrugged
    frowns frowned looks looked glances glanced stares stared walks walked stands stood sits sat leans leaned steps
    stepped pauses paused watches watched reaches reached raises raised shakes shook blinks blinked chuckles
    chuckled tilts tilted arrives arrived thinks thought wants wanted speaks spoke listens listened rumbles rumbled
    growls growled gasps gasped snorts snorted repeats repeated winks winked teases teased kneels knelt invited
    agreed agrees promised promises married lives lived
    """
)
"""What people do in stories: a capitalised word in front of it is a person, even where it opens a sentence."""

DOING = ACTING | word_set(
    """
    turns turned runs ran takes took gives gave holds held opens opened puts put pulls pulled moves moved lets let
    makes made comes came goes went leaves left knows knew feels felt tells told loves loved hates hated likes liked
    needs needed continues continued adds added begins began calls called draws drew lifts lifted keeps kept crosses
    crossed waits waited hands handed died dies works worked studies studied plays played has had will would can
    could is was isn't wasn't didn't doesn't won't wouldn't who
    """
)
"""The same within a sentence, where a capital already points to a name."""

PLACE_BEFORE = word_set(
    """
    in into inside outside visit visits visited visiting reach reached explore explored exploring throughout via
    """
)
MOTION = word_set(
    """
    go goes going went come comes coming came move moved moving moves travel traveled travelled travelling traveling
    fly flew flying drive drove driving trip trips return returned returning head heading headed flight ride train
    road bus ferry walk walked walking rush rushed journey sail sailed arrive arrived hike hiked welcome
    """
)
"""What comes shortly before `to` or `from` if a place follows."""

ORIGIN = word_set("i'm im am are is was were i've he's she's they're we're you're originally born")
"""What stands before `from` if a place follows."""

NO_PLACE_AFTER = word_set(
    """
    turn turns turned look looks looked glance glances glanced talk talks talked talking spoke speak write wrote
    listen interested believe believes believed faith trust confidence
    """
)
"""What comes shortly before `to` or `in` if a person follows."""

SCENE_OPENINGS = word_set(
    "The A An On At In After Before Under Behind Beyond When While As For Then There Outside Inside"
)
"""Where a stage direction begins with these it tells of more than what the speaker does."""

PLACE_KINDS = word_set(
    """
    City Town Village Street Avenue Road Lane Square Plaza Park Forest Woods Wood Mountain Mountains Hill Hills
    Valley River Lake Sea Ocean Bay Beach Island Islands Isle Harbor Harbour Port Bridge Castle Palace Tower Keep
    Fortress Fort Temple Church Cathedral Abbey Academy School College University Library Museum Hospital Hotel Inn
    Tavern Cafe Café Restaurant Bar Pub Club Market Mall Station Airport Garden Gardens Farm Manor Mansion House
    Hall Kingdom Empire Republic Desert Canyon Cave Caverns Ruins Dungeon Gate District Quarter County Falls Cove
    Creek Peak Pass Pier Docks Theater Theatre Stadium Arena Gym Studio Office Diner Bakery Bookstore Shop Cemetery
    Cliffs Marsh Swamp Wastes Peninsula Coast Chapel Monastery Lighthouse Jetty Wharf
    """
)
PLACE_OPENINGS = word_set("Lake Mount Mt Port Fort San Santa Saint Cape North South East West New Los Las Camp Castle")

COMMON_PLACES = """
    apartment attic bakery balcony bank bar barn basement bathroom beach bedroom bookshop bookstore bridge cabin
    cafe café cafeteria campsite campus castle cathedral cave cellar cemetery chapel church city classroom clinic club
    coffeehouse courtyard dock docks dungeon farm forest fortress fountain gallery garden garage graveyard gym
    hallway harbor harbour hospital hotel inn island jail kitchen lab laboratory lake library lighthouse mall
    mansion manor market marketplace meadow museum office palace park pier plaza pool port prison pub restaurant
    river rooftop ruins school shop square stable stables station store street studio supermarket swamp tavern
    temple terrace theater theatre tower town university valley village warehouse waterfall woods zoo airport
    """
"""Places without a name of their own, known by the word for them."""

WEIGHTY = word_set(
    """
    died dead death die dies dying kill killed murder murdered marry married marriage wedding engaged divorce
    divorced pregnant born birth secret secrets promise promised swore swear vow vowed betray betrayed betrayal
    confess confessed curse cursed prophecy war attack attacked escape escaped stolen stole steal missing kidnapped
    wounded injured poison poisoned king queen throne treasure destroyed allergic diagnosed cancer surgery hospital
    accident fired hired promoted graduated graduation moved quit birthday adopted
    """
)
"""Words of turning points: what holds one is worth more."""
