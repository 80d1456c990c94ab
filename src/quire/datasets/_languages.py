"""Sentences in ten languages, to tell the languages apart."""

from __future__ import annotations

from quire.datasets._labelled_texts import LabelledTexts, labelled

__all__ = ["load_languages"]

_SENTENCES = {
    "Dutch": """
        Het regent al de hele ochtend en de straten zijn nat.
        Mijn zus woont in een klein huis aan het water.
        Kun je me zeggen waar het station is?
        Wij eten vanavond soep met brood en kaas.
        De trein naar het noorden vertrekt over tien minuten.
        Hij leest elke avond een verhaal voor aan de kinderen.
        Ik heb gisteren een nieuwe fiets gekocht.
        De kat slaapt het liefst op de warme stoel.
        Morgen gaan we met vrienden naar het strand.
        Zij heeft drie jaar in een ziekenhuis gewerkt.
        Het boek ligt op de tafel naast de lamp.
        Waarom heb je het raam niet dichtgedaan?
        In de winter wordt het hier al vroeg donker.
        Deze appels zijn zoeter dan die van vorige week.
        De bakker op de hoek maakt het beste brood.
        Ik weet niet of hij vandaag nog komt.
        We moeten nog melk, eieren en aardappelen halen.
        Het dorp ligt tussen de rivier en het bos.
        Oma vertelt graag over vroeger.
        Zonder jas is het veel te koud buiten.
    """,
    "English": """
        It has been raining since early this morning.
        My brother lives in a small flat above the shop.
        Could you tell me how to get to the library?
        We are having soup and fresh bread for dinner.
        The last train to the coast leaves at nine.
        She reads the children a story every evening.
        I bought a second-hand bicycle at the market yesterday.
        The dog likes to sleep under the kitchen table.
        Tomorrow we are going for a long walk in the hills.
        He worked as a nurse for more than ten years.
        The keys are in the drawer next to the door.
        Why did nobody tell us that the meeting was over?
        In winter the lake freezes and people skate on it.
        These pears are sweeter than the ones we had last week.
        The bakery on the corner opens before six o'clock.
        I am not sure whether they will come today.
        We still need milk, eggs and some potatoes.
        The village lies between the river and the woods.
        Grandmother likes to talk about the old days.
        You should take a coat because the wind is cold.
    """,
    "Finnish": """
        Tänä aamuna satoi vettä ja kadut ovat märkiä.
        Siskoni asuu pienessä talossa järven rannalla.
        Voitko kertoa, missä rautatieasema on?
        Syömme illalla keittoa ja tuoretta leipää.
        Juna pohjoiseen lähtee kymmenen minuutin kuluttua.
        Hän lukee lapsille sadun joka ilta.
        Ostin eilen uuden polkupyörän torilta.
        Kissa nukkuu mieluiten lämpimällä tuolilla.
        Huomenna menemme ystävien kanssa metsään kävelemään.
        Hän on työskennellyt sairaalassa kolme vuotta.
        Kirja on pöydällä lampun vieressä.
        Miksi et sulkenut ikkunaa?
        Talvella täällä tulee pimeä jo varhain.
        Nämä omenat ovat makeampia kuin viime viikolla.
        Kulman leipomo avataan ennen kello kuutta.
        En tiedä, tuleeko hän tänään.
        Meidän täytyy vielä ostaa maitoa, munia ja perunoita.
        Kylä sijaitsee joen ja metsän välissä.
        Isoäiti kertoo mielellään vanhoista ajoista.
        Ota takki mukaan, koska tuuli on kylmä.
    """,
    "French": """
        Il pleut depuis ce matin et les rues sont mouillées.
        Ma sœur habite une petite maison au bord de l'eau.
        Pouvez-vous me dire où se trouve la gare ?
        Ce soir nous mangeons de la soupe avec du pain frais.
        Le dernier train pour la côte part à neuf heures.
        Elle lit une histoire aux enfants tous les soirs.
        Hier j'ai acheté un vélo d'occasion au marché.
        Le chat aime dormir sur la chaise la plus chaude.
        Demain nous allons nous promener dans les collines.
        Il a travaillé dix ans comme infirmier à l'hôpital.
        Les clés sont dans le tiroir à côté de la porte.
        Pourquoi n'as-tu pas fermé la fenêtre ?
        En hiver, la nuit tombe très tôt ici.
        Ces poires sont plus douces que celles de la semaine dernière.
        La boulangerie du coin ouvre avant six heures.
        Je ne sais pas s'ils viendront aujourd'hui.
        Il nous faut encore du lait, des œufs et des pommes de terre.
        Le village se trouve entre la rivière et la forêt.
        Grand-mère aime parler du temps passé.
        Prends un manteau, parce que le vent est froid.
    """,
    "German": """
        Seit heute Morgen regnet es und die Straßen sind nass.
        Meine Schwester wohnt in einem kleinen Haus am Wasser.
        Können Sie mir sagen, wo der Bahnhof ist?
        Heute Abend essen wir Suppe mit frischem Brot.
        Der letzte Zug an die Küste fährt um neun Uhr.
        Sie liest den Kindern jeden Abend eine Geschichte vor.
        Gestern habe ich auf dem Markt ein Fahrrad gekauft.
        Die Katze schläft am liebsten auf dem warmen Stuhl.
        Morgen gehen wir mit Freunden im Wald spazieren.
        Er hat zehn Jahre lang in einem Krankenhaus gearbeitet.
        Die Schlüssel liegen in der Schublade neben der Tür.
        Warum hast du das Fenster nicht zugemacht?
        Im Winter wird es hier schon früh dunkel.
        Diese Birnen sind süßer als die von letzter Woche.
        Die Bäckerei an der Ecke öffnet vor sechs Uhr.
        Ich weiß nicht, ob sie heute noch kommen.
        Wir brauchen noch Milch, Eier und Kartoffeln.
        Das Dorf liegt zwischen dem Fluss und dem Wald.
        Großmutter erzählt gern von früher.
        Nimm einen Mantel mit, denn der Wind ist kalt.
    """,
    "Italian": """
        Piove da questa mattina e le strade sono bagnate.
        Mia sorella abita in una piccola casa vicino al lago.
        Mi può dire dove si trova la stazione?
        Stasera mangiamo una zuppa con il pane fresco.
        L'ultimo treno per la costa parte alle nove.
        Lei legge una storia ai bambini ogni sera.
        Ieri ho comprato una bicicletta usata al mercato.
        Il gatto dorme volentieri sulla sedia più calda.
        Domani andiamo a fare una passeggiata in collina.
        Ha lavorato per dieci anni in un ospedale.
        Le chiavi sono nel cassetto accanto alla porta.
        Perché non hai chiuso la finestra?
        D'inverno qui fa buio molto presto.
        Queste pere sono più dolci di quelle della settimana scorsa.
        Il forno all'angolo apre prima delle sei.
        Non so se verranno oggi oppure domani.
        Ci servono ancora latte, uova e patate.
        Il paese si trova tra il fiume e il bosco.
        La nonna parla volentieri dei tempi passati.
        Prendi il cappotto, perché il vento è freddo.
    """,
    "Polish": """
        Od rana pada deszcz i ulice są mokre.
        Moja siostra mieszka w małym domu nad jeziorem.
        Czy może mi pan powiedzieć, gdzie jest dworzec?
        Dziś wieczorem jemy zupę ze świeżym chlebem.
        Ostatni pociąg nad morze odjeżdża o dziewiątej.
        Ona czyta dzieciom bajkę każdego wieczoru.
        Wczoraj kupiłem na targu używany rower.
        Kot najchętniej śpi na ciepłym krześle.
        Jutro idziemy z przyjaciółmi na spacer do lasu.
        On pracował dziesięć lat w szpitalu.
        Klucze leżą w szufladzie obok drzwi.
        Dlaczego nie zamknąłeś okna?
        Zimą bardzo wcześnie robi się tu ciemno.
        Te gruszki są słodsze niż w zeszłym tygodniu.
        Piekarnia na rogu otwiera się przed szóstą.
        Nie wiem, czy oni dzisiaj przyjdą.
        Potrzebujemy jeszcze mleka, jajek i ziemniaków.
        Wieś leży między rzeką a lasem.
        Babcia lubi opowiadać o dawnych czasach.
        Weź płaszcz, bo wiatr jest zimny.
    """,
    "Portuguese": """
        Está a chover desde manhã e as ruas estão molhadas.
        A minha irmã mora numa casa pequena perto do rio.
        Pode dizer-me onde fica a estação?
        Hoje à noite comemos sopa com pão fresco.
        O último comboio para a costa parte às nove horas.
        Ela lê uma história às crianças todas as noites.
        Ontem comprei uma bicicleta usada no mercado.
        O gato gosta de dormir na cadeira mais quente.
        Amanhã vamos passear na serra com os amigos.
        Ele trabalhou dez anos num hospital.
        As chaves estão na gaveta ao lado da porta.
        Porque não fechaste a janela?
        No inverno anoitece aqui muito cedo.
        Estas peras são mais doces do que as da semana passada.
        A padaria da esquina abre antes das seis.
        Não sei se eles ainda vêm hoje.
        Ainda precisamos de leite, ovos e batatas.
        A aldeia fica entre o rio e a floresta.
        A avó gosta de falar dos tempos antigos.
        Leva um casaco, porque o vento está frio.
    """,
    "Spanish": """
        Llueve desde esta mañana y las calles están mojadas.
        Mi hermana vive en una casa pequeña junto al lago.
        ¿Puede decirme dónde está la estación?
        Esta noche comemos sopa con pan fresco.
        El último tren a la costa sale a las nueve.
        Ella lee un cuento a los niños todas las noches.
        Ayer compré una bicicleta usada en el mercado.
        El gato duerme con gusto en la silla más caliente.
        Mañana vamos a pasear por el bosque con unos amigos.
        Él trabajó diez años en un hospital.
        Las llaves están en el cajón al lado de la puerta.
        ¿Por qué no has cerrado la ventana?
        En invierno aquí oscurece muy temprano.
        Estas peras son más dulces que las de la semana pasada.
        La panadería de la esquina abre antes de las seis.
        No sé si ellos vendrán hoy o mañana.
        Todavía necesitamos leche, huevos y patatas.
        El pueblo está entre el río y las montañas.
        A la abuela le gusta hablar de otros tiempos.
        Lleva un abrigo, porque el viento es frío.
    """,
    "Swedish": """
        Det har regnat sedan i morse och gatorna är våta.
        Min syster bor i ett litet hus vid sjön.
        Kan du säga mig var stationen ligger?
        I kväll äter vi soppa med färskt bröd.
        Det sista tåget till kusten går klockan nio.
        Hon läser en saga för barnen varje kväll.
        I går köpte jag en begagnad cykel på torget.
        Katten sover helst på den varma stolen.
        I morgon ska vi gå på promenad i skogen.
        Han har arbetat tio år på ett sjukhus.
        Nycklarna ligger i lådan bredvid dörren.
        Varför har du inte stängt fönstret?
        På vintern blir det mörkt tidigt här.
        De här päronen är sötare än förra veckans.
        Bageriet på hörnet öppnar före klockan sex.
        Jag vet inte om de kommer i dag.
        Vi behöver fortfarande mjölk, ägg och potatis.
        Byn ligger mellan ån och skogen.
        Mormor berättar gärna om gamla tider.
        Ta med en jacka, för vinden är kall.
    """,
}


def load_languages() -> LabelledTexts:
    """Return two hundred everyday sentences in ten languages, written for this purpose.

    Twenty each in Dutch, English, Finnish, French, German, Italian, Polish, Portuguese, Spanish and
    Swedish. The languages take turns, so that the first 150 rows have 15 of each. Letters and pairs
    of letters tell more than words, few of which occur twice.

    Returns
    -------
    LabelledTexts
        The sentences and the English names of their languages.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from quire.datasets import load_languages
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.naive_bayes import MultinomialNB
    >>> data = load_languages()
    >>> letters = CountVectorizer(analyzer="char_wb", ngram_range=(1, 3))
    >>> model = make_pipeline(letters, MultinomialNB(alpha=0.1))
    >>> model = model.fit(data.texts[:150], data.labels[:150])
    >>> model.predict(["Where is the station?", "Wo ist der Bahnhof?"]).tolist()
    ['English', 'German']
    """
    return labelled(_SENTENCES)
