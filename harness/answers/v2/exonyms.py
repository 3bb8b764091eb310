# ruff: noqa: RUF001
"""Names of capitals and other large cities in their own and in the major languages, beside the common English name.

The table has well-known facts, written for this project: a line is the English name, then other names of that city.
They are used only where a dataset gives no accepted names of its own, or too few. A name that is another large city's
English name is left out, as is a name that is a common word of English.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from harness.answers.gazetteer import plain
from harness.answers.v2.places import bare

SHORTEST = 4  # least letters of a name that may be met by itself

_NAMES = """
Vienna|Wien|Vienne|Viena|Wenen|Wiedeń|Vídeň|Bécs|Beč|Viyana|Вена|Відень|维也纳|ウィーン|فيينا
Copenhagen|København|Kopenhagen|Copenhague|Köpenhamn|Kopenhaga|Kodaň|Koppenhága|Kööpenhamina|Копенгаген|哥本哈根|コペンハーゲン
Rome|Roma|Rom|Rzym|Řím|Róma|Рим|罗马|羅馬|ローマ|روما|Ρώμη
Milan|Milano|Mailand|Milán|Milão|Mediolan|Милан|米兰|ミラノ
Naples|Napoli|Neapel|Nápoles|Neapol|Неаполь|那不勒斯|ナポリ
Turin|Torino|Turín|Turyn|Турин|都灵|トリノ
Venice|Venezia|Venedig|Venise|Venecia|Veneza|Wenecja|Венеция|威尼斯|ヴェネツィア
Florence|Firenze|Florenz|Florencia|Florença|Florencja|Флоренция|佛罗伦萨|フィレンツェ
Genoa|Genova|Genua|Gênes|Génova|Генуя|热那亚|ジェノヴァ
Bologna|Bologne|Bolonia|Болонья
Palermo|Palerme|Палермо
Munich|München|Muenchen|Monaco di Baviera|Múnich|Munique|Monachium|Mnichov|Мюнхен|慕尼黑|ミュンヘン
Cologne|Köln|Koeln|Colonia|Colônia|Keulen|Kolonia|Kolín nad Rýnem|Кёльн|科隆|ケルン
Nuremberg|Nürnberg|Nuernberg|Norimberga|Núremberg|Нюрнберг|纽伦堡
Hanover|Hannover|Hanovre|Ганновер|汉诺威
Frankfurt|Frankfurt am Main|Francfort|Francoforte|Fráncfort|Франкфурт|法兰克福
Berlin|Berlín|Berlino|Berlim|Берлин|柏林|ベルリン|برلين
Hamburg|Hambourg|Hamburgo|Amburgo|Гамбург|汉堡|ハンブルク
Dresden|Dresde|Dresda|Drážďany|Дрезден
Leipzig|Lipsia|Lipsk|Lipsko|Лейпциг
Stuttgart|Stoccarda|Штутгарт|斯图加特
Düsseldorf|Duesseldorf|Dusseldorf|Дюссельдорф|杜塞尔多夫
Aachen|Aix-la-Chapelle|Aquisgrán|Aquisgrana|Aken
Mainz|Mayence|Magonza
Trier|Trèves|Treviri
Zurich|Zürich|Zuerich|Zurigo|Zúrich|Цюрих|苏黎世|チューリッヒ
Geneva|Genève|Genf|Ginevra|Ginebra|Genebra|Женева|日内瓦|ジュネーヴ
Basel|Bâle|Basle|Basilea|Базель|巴塞尔
Bern|Berne|Berna|Берн|伯尔尼
Lausanne|Losanna|Лозанна
Salzburg|Salzbourg|Salisburgo|Зальцбург
Paris|Parigi|París|Parijs|Paryż|Paříž|Párizs|Pariisi|Париж|巴黎|パリ|باريس
Lyon|Lyons|Lione|Лион|里昂|リヨン
Marseille|Marseilles|Marsiglia|Marsella|Marselha|Марсель|马赛|マルセイユ
Nice|Nizza|Niza|Ницца|尼斯
Strasbourg|Straßburg|Strassburg|Strasburgo|Estrasburgo|Страсбург|斯特拉斯堡
Toulouse|Tolosa|Тулуза|图卢兹
Bordeaux|Burdeos|Bordéus|Бордо|波尔多
Lille|Rijsel|Lila|Лилль|里尔
Brussels|Bruxelles|Brussel|Brüssel|Bruselas|Bruxelas|Bruksela|Brusel|Brüsszel|Брюссель|布鲁塞尔|ブリュッセル
Antwerp|Antwerpen|Anvers|Amberes|Anversa|Антверпен|安特卫普
Ghent|Gent|Gand|Gante|Гент
Bruges|Brugge|Brügge|Brujas|Брюгге
Liège|Luik|Lüttich|Lieja|Liegi|Льеж
Leuven|Louvain|Löwen|Lovaina
The Hague|Den Haag|'s-Gravenhage|La Haye|La Haya|Haia|L'Aia|Haag|Гаага|海牙
Amsterdam|Ámsterdam|Amsterdã|Amsterdão|Амстердам|阿姆斯特丹|アムステルダム
Rotterdam|Róterdam|Roterdã|Роттердам|鹿特丹
Luxembourg|Luxemburg|Lëtzebuerg|Luxemburgo|Lussemburgo|Люксембург|卢森堡
London|Londres|Londra|Londen|Londyn|Londýn|Lontoo|Лондон|伦敦|倫敦|ロンドン|لندن
Edinburgh|Édimbourg|Edimburgo|Dùn Èideann|Эдинбург|爱丁堡
Dublin|Baile Átha Cliath|Dublín|Dublino|Дублин|都柏林
Cardiff|Caerdydd|Кардифф
Lisbon|Lisboa|Lissabon|Lisbonne|Lisbona|Lizbona|Lisszabon|Лиссабон|里斯本|リスボン
Porto|Oporto|Порту|波尔图
Madrid|Madri|Madryt|Мадрид|马德里|マドリード|مدريد
Barcelona|Barcelone|Barcellona|Барселона|巴塞罗那|バルセロナ
Seville|Sevilla|Séville|Siviglia|Sevilha|Sewilla|Севилья|塞维利亚
Zaragoza|Saragossa|Saragosse|Saragozza|Saragoça|Сарагоса
Valencia|València|Valence|Valença|Валенсия|巴伦西亚
Bilbao|Bilbo|Бильбао
San Sebastián|Donostia|Saint-Sébastien
A Coruña|La Coruña|Corunna|La Corogne
Pamplona|Iruña|Pampelune
Córdoba|Cordova|Cordoue|Кордова
Warsaw|Warszawa|Warschau|Varsovie|Varsovia|Varsavia|Varsóvia|Varšava|Varsó|Варшава|华沙|ワルシャワ
Kraków|Cracow|Krakow|Krakau|Cracovie|Cracovia|Cracóvia|Krakov|Краков|克拉科夫
Gdańsk|Danzig|Dantzig|Danzica|Гданьск
Wrocław|Breslau|Wroclaw|Breslavia|Vratislav|Вроцлав
Poznań|Posen|Познань
Łódź|Lodz|Lodsch|Лодзь
Szczecin|Stettin|Щецин
Prague|Praha|Prag|Praga|Prága|Прага|布拉格|プラハ
Brno|Brünn|Бrno|Брно
Plzeň|Pilsen|Pilzno
Bratislava|Pressburg|Preßburg|Pozsony|Bratysława|Братислава|布拉迪斯拉发
Košice|Kaschau|Kassa|Koszyce
Budapest|Boedapest|Budapeszt|Budapešť|Budapeste|Будапешт|布达佩斯|ブダペスト
Ljubljana|Laibach|Lubiana|Lublana|Liubliana|Любляна
Zagreb|Agram|Zagabria|Zágráb|Zágreb|Загреб|萨格勒布
Rijeka|Fiume
Split|Spalato|Сплит
Dubrovnik|Ragusa|Дубровник
Belgrade|Beograd|Belgrad|Belgrado|Bělehrad|Nándorfehérvár|Београд|Белград|贝尔格莱德
Novi Sad|Újvidék|Neusatz|Нови Сад
Sarajevo|Sarajewo|Saraybosna|Сараево|Сарајево|萨拉热窝
Skopje|Skoplje|Üsküp|Скопје|Скопье
Podgorica|Подгорица
Tirana|Tiranë|Tirane|Тирана|地拉那
Pristina|Prishtina|Prishtinë|Priština|Приштина
Sofia|Sofija|Sofía|Sófia|Sofya|София|索非亚|ソフィア
Plovdiv|Philippopolis|Filibe|Пловдив
Bucharest|București|Bucuresti|Bukarest|Bucarest|Bucareste|Bukareszt|Bükreş|Бухарест|布加勒斯特
Cluj-Napoca|Cluj|Klausenburg|Kolozsvár
Timișoara|Temeswar|Temesvár|Timisoara
Brașov|Kronstadt|Brassó|Brasov
Sibiu|Hermannstadt|Nagyszeben
Iași|Jassy|Iasi
Chișinău|Chisinau|Kishinev|Кишинёв|Кишинев
Athens|Athen|Athènes|Atenas|Atene|Athína|Athina|Ateny|Athény|Atina|Αθήνα|Афины|雅典|アテネ
Thessaloniki|Thessaloníki|Salonica|Saloniki|Selanik|Salonicco|Tesalónica|Θεσσαλονίκη|Салоники
Patras|Patra|Πάτρα
Heraklion|Iraklio|Ηράκλειο
Nicosia|Lefkosia|Lefkoşa|Nikosia|Nicosie|Λευκωσία|Никосия
Istanbul|İstanbul|Constantinople|Konstantinopel|Stambul|Estambul|Istambul|Byzantium|Стамбул|Цариград|伊斯坦布尔|イスタンブール|إسطنبول
Ankara|Angora|Анкара|安卡拉
İzmir|Izmir|Smyrna|Esmirna|Smirne|Измир
Adana|Адана
Antalya|Adalia|Анталья
Bursa|Prusa|Бурса
Kyiv|Kiev|Kijów|Kiew|Київ|Киев|基辅|キーウ
Lviv|Lvov|Lwów|Lemberg|Leopolis|Львів|Львов
Kharkiv|Kharkov|Charkow|Харків|Харьков|哈尔科夫
Odesa|Odessa|Одеса|Одесса|敖德萨
Dnipro|Dnepropetrovsk|Dnipropetrovsk|Dnepr|Дніпро|Днепр
Chernivtsi|Czernowitz|Cernăuți
Minsk|Mińsk|Мінск|Минск|明斯克
Brest|Brest-Litovsk|Brześć|Брэст|Брест
Moscow|Moskva|Moskau|Moscou|Moscú|Mosca|Moscovo|Moskwa|Moszkva|Moskova|Москва|莫斯科|モスクワ|موسكو
Saint Petersburg|St Petersburg|Sankt Petersburg|Leningrad|Saint-Pétersbourg|San Petersburgo|Санкт-Петербург|圣彼得堡
Nizhny Novgorod|Gorky|Nizhniy Novgorod|Нижний Новгород
Yekaterinburg|Ekaterinburg|Sverdlovsk|Jekaterinburg|Екатеринбург
Volgograd|Stalingrad|Волгоград
Samara|Kuybyshev|Самара
Kaliningrad|Königsberg|Królewiec|Калининград
Vladivostok|Wladiwostok|Владивосток|海参崴
Kazan|Kasan|Казань|喀山
Novosibirsk|Nowosibirsk|Новосибирск|新西伯利亚
Rostov-on-Don|Rostov|Rostow|Ростов-на-Дону
Chelyabinsk|Tscheljabinsk|Челябинск
Tallinn|Reval|Tallin|Таллинн|Таллин|塔林
Tartu|Dorpat
Riga|Rīga|Ryga|Рига|里加
Vilnius|Wilno|Wilna|Vilna|Вильнюс|维尔纽斯
Kaunas|Kowno|Kovno|Kauen|Каунас
Helsinki|Helsingfors|Хельсинки|赫尔辛基
Turku|Åbo
Tampere|Tammerfors
Stockholm|Estocolmo|Stoccolma|Sztokholm|Tukholma|Стокгольм|斯德哥尔摩|ストックホルム
Gothenburg|Göteborg|Goteborg|Göteburg|Gotemburgo|Гётеборг|哥德堡
Malmö|Malmo|Мальмё
Oslo|Christiania|Kristiania|Осло|奥斯陆|オスロ
Trondheim|Drontheim|Nidaros|Тронхейм
Aarhus|Århus|Орхус
Reykjavík|Reykjavik|Reikiavik|Рейкьявик|雷克雅未克
Beijing|Peking|Pékin|Pekín|Pechino|Pequim|Pekin|北京|Пекин|ペキン|بكين
Shanghai|Schanghai|Shanghái|Sciangai|Xangai|上海|Шанхай
Guangzhou|Canton|Kanton|Cantón|广州|廣州|Гуанчжоу
Shenzhen|深圳|Шэньчжэнь
Chongqing|Chungking|重庆|重慶|Чунцин
Chengdu|Chengtu|成都|Чэнду
Wuhan|武汉|武漢|Ухань
Tianjin|Tientsin|天津|Тяньцзинь
Nanjing|Nanking|Nankin|Nanchino|南京|Нанкин
Hangzhou|Hangchow|杭州|Ханчжоу
Suzhou|Soochow|苏州|蘇州
Xi'an|Xian|Sian|西安|Сиань
Qingdao|Tsingtao|Tsingtau|青岛|青島
Dalian|Dairen|Port Arthur|大连|大連
Shenyang|Mukden|Fengtian|沈阳|瀋陽
Harbin|Charbin|哈尔滨|Харбин
Xiamen|Amoy|厦门|廈門
Fuzhou|Foochow|福州
Shantou|Swatow|汕头
Jinan|Tsinan|济南
Kunming|昆明
Ürümqi|Urumqi|Wulumuqi|乌鲁木齐|Урумчи
Lhasa|Lasa|拉萨
Hong Kong|Hongkong|Xianggang|香港|Гонконг
Macau|Macao|澳门|澳門|Макао
Taipei|Taibei|臺北|台北|Тайбэй
Kaohsiung|Gaoxiong|高雄
Tokyo|Tōkyō|Tokio|Edo|東京|东京|Токио|طوكيو
Osaka|Ōsaka|大阪|Осака
Kyoto|Kyōto|Kioto|京都|Киото
Kobe|Kōbe|神戸
Nagoya|名古屋
Yokohama|横浜
Sapporo|札幌
Fukuoka|福岡
Hiroshima|Hirošima|広島
Seoul|Séoul|Seúl|Seul|Söul|서울|首尔|汉城|ソウル|Сеул
Busan|Pusan|부산|釜山
Incheon|Inchon|인천
Daegu|Taegu|대구
Daejeon|Taejon|대전
Gwangju|Kwangju|광주
Pyongyang|P'yŏngyang|Pjöngjang|Pionyang|평양|平壤
Ulaanbaatar|Ulan Bator|Ulan-Bator|Urga|Улаанбаатар|Улан-Батор
Hanoi|Hà Nội|Ha Noi|Hanói|河内
Ho Chi Minh City|Saigon|Sài Gòn|Thành phố Hồ Chí Minh|Ho-Chi-Minh-Stadt|Hô-Chi-Minh-Ville|Ciudad Ho Chi Minh
Da Nang|Đà Nẵng|Danang|Tourane
Haiphong|Hải Phòng|Hai Phong
Bangkok|Krung Thep|Krung Thep Maha Nakhon|กรุงเทพมหานคร|กรุงเทพ|曼谷|バンコク|Бангкок
Chiang Mai|Chiengmai|เชียงใหม่
Phnom Penh|Pnom Penh|ភ្នំពេញ
Vientiane|Viangchan|Vientián
Yangon|Rangoon|Rangun|Rangún|ရန်ကုန်
Mandalay|Mandalai
Naypyidaw|Nay Pyi Taw
Jakarta|Djakarta|Batavia|Yakarta|Джакарта|雅加达
Bandung|Bandoeng
Surabaya|Soerabaja
Yogyakarta|Jogjakarta|Jogja|Djokjakarta
Makassar|Ujung Pandang
Manila|Maynila|Manille|马尼拉|Манила
Kuala Lumpur|吉隆坡|Куала-Лумпур
George Town|Penang
Singapore|Singapur|Singapour|Singapura|Cingapura|新加坡|Сингапур
Delhi|Dilli|दिल्ली|Дели|德里
New Delhi|Neu-Delhi|Nueva Delhi|Nouvelle-Delhi|Nuova Delhi|नई दिल्ली
Mumbai|Bombay|Bombaim|मुंबई|Мумбаи|孟买
Kolkata|Calcutta|Kalkutta|Calcuta|Calcutá|কলকাতা|Калькутта|加尔各答
Chennai|Madras|சென்னை|Ченнаи
Bengaluru|Bangalore|Bangalur|ಬೆಂಗಳೂರು|Бангалор
Hyderabad|Haiderabad|హైదరాబాద్|Хайдарабад
Ahmedabad|Ahmadabad|Amdavad|અમદાવાદ
Pune|Poona|पुणे
Varanasi|Benares|Banaras|Kashi|वाराणसी
Kochi|Cochin
Thiruvananthapuram|Trivandrum
Kozhikode|Calicut
Visakhapatnam|Vizag|Waltair
Vadodara|Baroda
Kanpur|Cawnpore
Prayagraj|Allahabad
Gurugram|Gurgaon
Mysuru|Mysore
Mangaluru|Mangalore
Puducherry|Pondicherry
Guwahati|Gauhati
Tiruchirappalli|Trichy|Tiruchi
Madurai|Mathurai
Thanjavur|Tanjore
Karachi|Karatschi|کراچی|Карачи
Lahore|Lahaur|لاہور
Peshawar|Peschawar|پشاور
Dhaka|Dacca|ঢাকা|Дакка
Chittagong|Chattogram|চট্টগ্রাম
Kathmandu|Katmandu|Katmandú|काठमाडौं
Colombo|Kolamba|Kolumbo|කොළඹ
Kabul|Kaboul|Caboul|کابل|Кабул
Herat|Harat|هرات
Kandahar|Qandahar|قندهار
Tashkent|Toshkent|Taschkent|Tachkent|Ташкент
Samarkand|Samarqand|Samarcanda|Samarcande|Самарканд
Bukhara|Buxoro|Buchara|Бухара
Almaty|Alma-Ata|Alma Ata|Алматы|Алма-Ата
Astana|Nur-Sultan|Akmola|Tselinograd|Астана
Bishkek|Frunze|Bischkek|Бишкек
Dushanbe|Duschanbe|Stalinabad|Душанбе
Ashgabat|Aşgabat|Ashkhabad|Aschgabat|Ашхабад
Baku|Bakı|Bakou|Bakú|Баку
Tbilisi|Tiflis|Tbilissi|Tiflis|თბილისი|Тбилиси
Batumi|Batum|ბათუმი
Yerevan|Erevan|Jerewan|Ereván|Երևան|Ереван
Tehran|Teheran|Téhéran|Teerã|تهران|Тегеран|德黑兰
Isfahan|Esfahan|Ispahan|اصفهان|Исфахан
Mashhad|Meshed|مشهد|Мешхед
Shiraz|Schiras|Chiraz|شیراز
Tabriz|Täbris|تبریز
Baghdad|Bagdad|Bagdá|بغداد|Багдад|巴格达
Basra|Basrah|Bassora|البصرة|Басра
Mosul|Mossul|Mossoul|الموصل
Erbil|Arbil|Hewlêr|أربيل
Damascus|Dimashq|Damaskus|Damas|Damasco|Damaszek|Şam|دمشق|Дамаск|大马士革
Aleppo|Halab|Alep|Alepo|حلب|Алеппо
Homs|Hims|حمص
Beirut|Beyrouth|Bayrut|Beiroet|Bejrut|بيروت|Бейрут|贝鲁特
Tripoli|Tarabulus|طرابلس|Trípoli|Триполи
Jerusalem|Yerushalayim|Al-Quds|Jérusalem|Jerusalén|Gerusalemme|ירושלים|القدس|Иерусалим|耶路撒冷
Tel Aviv|Tel Aviv-Yafo|תל אביב|Тель-Авив
Haifa|Hefa|חיפה|حيفا
Beersheba|Be'er Sheva|Beer Sheva|באר שבע
Amman|Ammán|عمان|Амман
Riyadh|Ar-Riyad|Riad|Riyad|الرياض|Эр-Рияд|利雅得
Jeddah|Jiddah|Djeddah|Dschidda|جدة
Mecca|Makkah|Mekka|La Mecque|La Meca|مكة|Мекка
Medina|Al-Madinah|Médine|المدينة المنورة
Kuwait City|Kuwait|Al Kuwayt|Koweït|الكويت
Doha|Ad-Dawhah|الدوحة|Доха
Dubai|Dubayy|Dubái|دبي|Дубай|迪拜
Abu Dhabi|Abou Dabi|Abu Zabi|أبو ظبي
Muscat|Masqat|Maskat|Mascate|مسقط
Sanaa|Sana'a|Sanaá|صنعاء
Aden|Adén|عدن
Manama|Al-Manamah|المنامة
Cairo|Al-Qahira|Kairo|Le Caire|El Cairo|Il Cairo|Kahire|القاهرة|Каир|开罗|カイロ
Alexandria|Al-Iskandariyya|Alexandrie|Alejandría|Alessandria d'Egitto|Iskenderiye|الإسكندرية|Александрия
Giza|Gizeh|Al-Jizah|الجيزة
Luxor|Al-Uqsur|Louxor|الأقصر
Aswan|Assuan|Assouan|أسوان
Suez|As-Suways|السويس
Khartoum|Al-Khartum|Chartum|Jartum|الخرطوم
Omdurman|Umm Durman|أم درمان
Tunis|Tunes|Túnez|Tunisi|تونس
Sfax|Safaqis|صفاقس
Algiers|Alger|Al-Jaza'ir|Algier|Argel|Algeri|الجزائر|Алжир|阿尔及尔
Oran|Wahran|Orán|وهران
Constantine|Qusantina|قسنطينة
Rabat|Ar-Ribat|الرباط
Casablanca|Ad-Dar al-Bayda|Dar el Beida|الدار البيضاء|Касабланка
Marrakesh|Marrakech|Murrakush|Marrakesch|مراكش|Марракеш
Fez|Fès|Fes|Fas|فاس
Tangier|Tanger|Tánger|Tangeri|Tanja|طنجة|Танжер
Tetouan|Tétouan|Tetuán|تطوان
Agadir|أكادير
Benghazi|Bengasi|Banghazi|بنغازي
Addis Ababa|Addis Abeba|Addis-Abeba|Adís Abeba|አዲስ አበባ
Asmara|Asmera|ኣስመራ
Mogadishu|Muqdisho|Mogadiscio|Mogadischu|Mogadiscio|مقديشو
Djibouti|Dschibuti|Yibuti|جيبوتي
N'Djamena|Fort-Lamy|Ndjamena
Kinshasa|Léopoldville|Leopoldville
Lubumbashi|Élisabethville|Elisabethville
Kisangani|Stanleyville
Maputo|Lourenço Marques
Harare|Salisbury
Antananarivo|Tananarive
Dar es Salaam|Daressalam|Dar-es-Salam
Cape Town|Kaapstad|Kapstadt|Le Cap|Ciudad del Cabo|Città del Capo|Cidade do Cabo|Кейптаун|开普敦
Johannesburg|Joburg|Jo'burg|Johannesbourg|Johannesburgo
Pretoria|Tshwane|Prétoria
Gqeberha|Port Elizabeth
Windhoek|Windhuk
Lagos|Eko
Accra|Akkra|Acra
Abidjan|Abiyán
Bamako|Bamakó
Ouagadougou|Uagadugu|Wagadugu
Yaoundé|Yaounde|Jaunde
Luanda|São Paulo da Assunção de Loanda
Mexico City|Ciudad de México|Mexiko-Stadt|Mexico DF|CDMX|Città del Messico|Cidade do México|Мехико|墨西哥城
Havana|La Habana|Havanna|La Havane|L'Avana|Гавана|哈瓦那
Guatemala City|Ciudad de Guatemala|Guatemala-Stadt|Guatemala
Panama City|Ciudad de Panamá|Panama-Stadt
San José|San Jose
Santo Domingo|Saint-Domingue|Ciudad Trujillo
Port-au-Prince|Puerto Príncipe|Pòtoprens
Bogotá|Bogota|Santa Fe de Bogotá|Santafé de Bogotá|Богота|波哥大
Asunción|Asuncion|Asunçao|Assunção
Rio de Janeiro|Río de Janeiro|Rio|Рио-де-Жанейро|里约热内卢
São Paulo|Sao Paulo|San Pablo|Сан-Паулу|圣保罗
Brasília|Brasilia|Бразилиа
Salvador|Salvador da Bahia|Salvador de Bahia
Montevideo|Montevidéu|Montevideú
Santiago|Santiago de Chile
Quito|San Francisco de Quito|Quitó|Кито
Guayaquil|Santiago de Guayaquil|Гуаякиль
New York City|New York|Nueva York|Nova York|Nova Iorque|Neuyork|Nowy Jork|Нью-Йорк|纽约|紐約|ニューヨーク
Los Angeles|Los Ángeles|Лос-Анджелес|洛杉矶
San Francisco|Сан-Франциско|旧金山
Philadelphia|Filadelfia|Philadelphie|Филадельфия|费城
New Orleans|La Nouvelle-Orléans|Nueva Orleans|Новый Орлеан
Washington|Washington, D.C.|Washington DC|Вашингтон|华盛顿
Chicago|Чикаго|芝加哥
Montreal|Montréal|Монреаль|蒙特利尔
Quebec City|Québec|Quebec|Ville de Québec
"""


@cache
def _by_name() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    lines = [tuple(dict.fromkeys(line.split("|"))) for line in _NAMES.strip().splitlines()]
    for names in lines:
        found[bare(plain(names[0]))] = names
    for names in lines:
        for name in names[1:]:
            found.setdefault(bare(plain(name)), names)
    return found


def other_names(name: str) -> tuple[str, ...]:
    """Return all names of a large city of the table, given one of them in any case; empty for other places."""
    return _by_name().get(bare(plain(name)), ())


@cache
def all_names() -> tuple[str, ...]:
    """Return every name of the table that is long enough to be told from other words."""
    return tuple(name for line in _NAMES.strip().splitlines() for name in line.split("|") if len(name) >= SHORTEST)
