// Sentence rules of Catalan, French, Galician, Italian, Portuguese and Spanish.
import { sentenceRules } from './sentence-rules.ts';

export const french = sentenceRules({
  spacedClosers: '»',
  never: `
    M MM Mme Mlle Mgr Me Mes Dr Drs Pr Prof Ste St Sts Gén Gal Col Cdt Cap Lt Sgt Card Cie Vve
    p p.ex ex c.-à-d c.à.d cf i.e e.g id ibid env av apr ap c.-a-d resp vs conf incl excl approx dép
    max`,
  sometimes: `
     bd boul bld chap ch coll dir éd fasc fig inv n nº nos pl r rte sect suiv t tab tél téléph tome tr trad v
    J.-C av.J.-C apr.J.-C ap.J.-C Jr Sr Inc Ltd Co Corp
    janv févr fév avr juil oct nov déc lun jeu ven sam dim
    S.A S.A.R.L S.A.S Ph.D`,
  usually: 'etc al sqq sq',
  beforeNumber: 'art vol col no pp par pag',
  afterNumber: 'h hab s min sec',
  starters: `
    À Afin Ainsi Alors Après Au Aucun Aujourd'hui Aussi Autre Aux Avant Avec Beaucoup Bien Bientôt Ce Cela Celui Celle Cependant
    Certains Ces C' Cet Cette Ceux Chaque Chez Combien Comme Comment D' Dans De Demain Depuis Des Donc Dès
    Du Elle Elles En Encore Enfin Ensuite Entre Est Et Eux Grâce Hier Ici Il Ils J' Jamais Je L' La Le Les Leur Leurs
    Lorsque Lui Mais M' Maintenant Malgré Même Mes Moi Mon Ma N' Ne Ni Non Nos Notre Nous On Or Ou Où Oui Par Parce Parfois Pas
    Pendant Personne Peut-être Plus Plusieurs Pour Pourquoi Pourtant Presque Puis Quand Quant Que Quel Quelle Qu' Qui
    Quoi Rien S' Sa Sans Ses Seul Si Son Sous Souvent Sur Ta Tandis Tes Ton Toujours Tous Tout Toute Toutes Très Trop Tu Un
    Une Vers Voici Voilà Vos Votre Vous Y`,
  counts: {
    labels: `
      page pages p pp chapitre chap n° nº no nos numéro numéros num figure fig tableau section partie tome vol volume
      version article art chambre salle porte quai voie ligne bus étage année an classe niveau question étape phase
      type acte scène paragraphe annexe train eur usd chf tél`,
    months: `
      janvier février mars avril mai juin juillet août septembre octobre novembre décembre janv févr avr juil sept oct
      nov déc`,
    links: 'cent cents mille million millions milliard milliards md mds m à et ou de degrés degré',
    tails: 'matin soir demie quart carré carrés cube cubes celsius fahrenheit par',
    ordinalEnds: 'er re ère e ème nd nde ième d',
    numerals: `
      deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix- vingt- trente-
      quarante- cinquante- soixante- quatre-vingt- cent cents mille`,
  },
});

export const spanish = sentenceRules({
  never: `sr sra sres sras srta srtas dña dr dra dres dras prof profa lic licda ing 
          D Dn Da Arq Abg Gral Cnel Cap Tte Sgto Mons Fr Hno Hna
    Sto Sta Pbro Excmo Excma Exmo Ilmo Ilma Rvdo Rvda Mtro Mtra Vda Ud Vd Uds Vds
    p p.ej ej v vs cf aprox e.g i.e ca máx mín incl excl p.e a.k.a`,
  sometimes: `av avda bvd blvd c cía cia col ctra pza plza pl urb dpto depto apdo 
                    Hnos Jr Inc Ltd Ltda Co Corp
    art arts cap caps cód ed edit fig figs lib nro ntra núm núms num pág págs pag párr secc s ss tel teléf tfno tít tom vol vols
    ene feb abr may jun jul ago sept sep oct nov dic lun mié jue vie sáb dom
    EE EE.UU EEUU FF.AA RR.HH CC.OO S.A S.L S.R.L a.C d.C a.m p.m a.J.C d.J.C A.C D.C Ph.D`,
  usually: 'etc al',
  beforeNumber: 'no pp n t izq',
  afterNumber: 'hs h hrs min seg km kg',
  starters: `
    A Además Ahí Ahora Al Algo Alguien Algún Algunas Algunos Allí Ante Antes Apenas Aquel Aquella Aquello Aquí Así Aún Aunque
    Ayer Bajo Bien Bueno Cada Casi Claro Como Cómo Con Contra Cual Cuál Cualquier Cuando Cuándo Cuánto De Debe Del Desde
    Después Donde Dónde Durante El Él Ella Ellas Ello Ellos En Entonces Entre Era Es Esa Esas Ese Eso Esos Esta Está Están
    Estas Este Esto Estos Fue Gracias Ha Había Han Hasta Hay Hola Hoy Incluso La Las Le Les Lo Los Luego Mañana Más Me Mi
    Mientras Mis Mucha Muchas Mucho Muchos Muy Nada Nadie Ni Ningún Ninguna No Nos Nosotros Nuestra Nuestro Nunca O Ojalá Otra
    Otro Otros Para Pero Poco Por Porque Pues Puede Que Qué Quien Quién Quiero Quizá Quizás Se Según Ser Si Sí Siempre Sin
    Sino Sobre Solo Sólo Son Su Sus También Tampoco Tan Tanto Te Tengo Tenía Tiene Toda Todas Todavía Todo Todos Tras Tu
    Tú Un Una Unas Uno Unos Usted Vamos Varios Y Ya Yo`,
  counts: {
    labels: `
      página páginas pág págs p capítulo cap n.º n.° nº n° núm número números figura fig tabla sección parte tomo
      volumen vol versión artículo art habitación sala puerta andén vía línea bus autobús piso planta año años siglo
      clase nivel pregunta paso fase tipo acto anexo vuelo tren eur usd mxn tel`,
    months: `
      enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre ene feb mar
      abr may jun jul ago sep sept oct nov dic`,
    links: 'cien ciento cientos mil millón millones billón billones de del a y o grados',
    tails: `
      horas mañana tarde noche mediodía madrugada media cuarto cuadrado cuadrados cúbicos celsius por a.m p.m am pm`,
    ordinalEnds: 'er ro ra',
    numerals: `
      dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieci- veinte veinti- treinta
      cuarenta cincuenta sesenta setenta ochenta noventa cien ciento -cientos -cientas mil`,
  },
});

export const catalan = sentenceRules({
  never: `sr sra srs sres srta dr dra drs dres prof 
              Mn Mons Gral Il·lm Excm Excma Hble Sta St Sto D Fr
    p p.ex ex v vs cf aprox e.g i.e ca màx mín incl excl`,
  sometimes: `av avda bda c ctra pg pl pça pta rda trav urb dept 
                 Cia Jr Inc Ltd Co
     arts caps ed fig figs n núm núms nre pàg pàgs secc ss tel telèf tom vols
    gen febr abr jul ag oct nov des dl dt dc dj dv ds dg
    EE EE.UU S.A S.L a.C d.C a.m p.m Ph.D`,
  usually: 'etc al',
  beforeNumber: 'par col vol art cap no pp t',
  afterNumber: 'h min s km kg hab',
  starters: `
    A Abans Ahir Així Això Al Algú Algun Algunes Alguns Allà Als Amb Aquell Aquella Aquest Aquesta Aquestes Aquests Aquí Ara Avui
    Bé Bon Cada Cal Cap Com Contra D' De Del Dels Demà Des Després Doncs Durant El Ella Elles Ells Els En Encara Entre
    Era És Es Està Estan Fa Fins Gairebé Gràcies Ha Han Havia Hi Hola I Ja Jo L' La Les Li Llavors Malgrat Mai Massa
    Menys Més Mentre Molt Molta Moltes Molts Ni Ningú No Nosaltres Nostre O On Per Perquè Però Pocs Pot Potser Primer Qualsevol
    Quan Quant Que Què Qui Quin Quina Res Sempre Sense Segons Ser Sí Si Sobre Sols Som Són Sota També Tampoc Tan Tant Te Tenim
    Tens Tinc Tot Tota Totes Tothom Tots Tu Un Una Unes Uns Va Vam Van Vaig Vostè Vull`,
  counts: {
    labels: `
      pàgina pàgines pàg p capítol cap núm n.º nº número figura fig taula secció part tom volum vol versió article art
      habitació sala porta andana via línia bus pis planta any anys segle classe nivell pregunta pas fase tipus eur
      usd tel`,
    months: `
      gener febrer març abril d'abril d’abril maig juny juliol agost d'agost d’agost setembre octubre d'octubre
      d’octubre novembre desembre gen febr abr jul ag set oct nov des`,
    links: 'cent mil milió milions de del a i o graus',
    tails: 'hores matí tarda vespre nit mitja quart quarts quadrats cúbics celsius per',
    ordinalEnds: 'r n t è a',
    numerals: `
      dos dues tres quatre cinc sis set vuit nou deu onze dotze tretze catorze quinze setze disset divuit dinou vint-
      trenta- quaranta- cinquanta- seixanta- setanta- vuitanta- noranta- cent -cents mil`,
  },
});

export const galician = sentenceRules({
  never: `sr sra sres sras srta dr dra dres prof 
         D Dna Da Lic Enx Arq Gral Cap Mons Fr Sto Sta Excmo Excma Ilmo Ilma Rvdo Vde Vdes
    p p.ex ex v vs cf aprox e.g i.e ca máx mín incl excl`,
  sometimes: `av avda c r estr pr pza urb dpto depto apdo 
       Cía Jr Inc Ltd Co
     arts caps ed fig figs n nº núm núms páx páxs pax pár sec ss tel teléf tom vols
    xan feb abr xuñ xul ago out nov dec mér xov ven sáb dom
    EE EE.UU S.A S.L a.C d.C a.m p.m Ph.D`,
  usually: 'etc al',
  beforeNumber: 'vol art cap no pp t',
  afterNumber: 'h min s km kg hab',
  starters: `
    A Á Ademais Ágora Agora Aí Aínda Alguén Algún Algunha Alí Antes Ao Aos Aquel Aquela Aquí As Así Até Ben Cada Case Claro Co Coa
    Como Con Contra Cal Cando Canto Da De Dende Desde Despois Do Durante É El Ela Elas Eles En Entón Entre Era Es Esa Ese Eses
    Esta Está Están Este Estes Eu Fai Foi Grazas Ha Había Hai Hoxe Iso Isto Logo Mais Máis Mañá Me Mentres Meu Miña Moi Moita
    Moitas Moito Moitos Na Nada Nas Nin Ninguén Ningún No Non Nos Nós Nosa Noso Nunca O Onde Onte Ora Os Ou Outra Outro Outros
    Para Pero Pois Pode Por Porque Que Quen Quero Quizais Se Segundo Sempre Sen Ser Seu Si Só Sobre Son Súa Tal Tamén Tampouco
    Tan Tanto Teño Ten Tiña Toda Todas Todo Todos Ti Un Unha Unhas Uns Vamos Varios Xa`,
  counts: {
    labels: `
      páxina páxinas páx pax p capítulo cap n.º nº núm número figura fig táboa sección parte tomo volume vol versión
      artigo art cuarto sala porta liña autobús andar piso ano anos século clase nivel pregunta paso fase tipo voo eur
      usd tel`,
    months: `
      xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro xan feb mar abr xuñ xul
      ago set out nov dec`,
    links: 'cen cento mil millón millóns de do a e ou graos',
    tails: 'horas mañá tarde noite media cuarto cadrados cúbicos celsius por',
    numerals: `
      dous dúas tres catro cinco seis sete oito nove dez once doce trece catorce quince dezaseis dezasete dezaoito
      dezanove vinte trinta corenta cincuenta sesenta setenta oitenta noventa cen cento -centos mil`,
  },
});

export const portuguese = sentenceRules({
  never: `sr sra srs sras srta srtas dr dra drs dras prof profa eng enga 
          D Arq Adv Gen Cel Cap Ten Sgt Mons Fr Pe Me Ma Exmo Exma Ilmo Ilma
    Sto Sta S Rev V.Exa V.Sa Vsa
    p p.ex ex v vs cf aprox e.g i.e ca máx mín incl excl`,
  sometimes: `av lgo pç pça rod trav depto dept 
     Al Bl Cia Cj Est R Tv Ltda Ltd Jr Inc Co Corp 
     arts caps cód ed fig figs n nº nr núm pág págs pag séc sécs ss tel tels tom vols
    jan fev abr mai jun jul ago out nov dez seg qua qui sáb 
    EUA S.A S/A a.C d.C a.m p.m Ph.D`,
  usually: 'etc al',
  beforeNumber: 'vol art par cap no pp t',
  afterNumber: 'h min s km kg hab',
  starters: `
    A Á À Acho Agora Ai Ainda Além Algo Alguém Alguma Algumas Alguns Ali Ambos Antes Ao Aos Apenas Apesar Aquela Aquele Aquilo Aqui As
    Às Assim Até Bem Bom Cada Claro Com Como Contra Da Daí De Depois Desde Dessa Desse Desta Deste Disso Do Dos Durante E
    É Ela Elas Ele Eles Em Enfim Enquanto Então Entre Era Eram Essa Essas Esse Esses Esta Está Estão Estas Este Estes Estou Eu
    Foi Foram Fui Há Havia Hoje Isso Isto Já Lá Logo Mais Mas Me Mesmo Meu Meus Minha Muita Muitas Muito Muitos Na Nada Não
    Naquela Naquele Nas Nela Nele Nem Nenhum Nessa Nesse Nesta Neste Ninguém No Nos Nós Nossa Nosso Num Numa Nunca O Obrigada
    Obrigado Olá Onde Ontem Os Ou Outra Outro Outros Para Pela Pelo Pode Pois Por Porque Portanto Posso Pouco Primeiro Quais
    Qual Quando Quanto Quase Que Quem Quero Se Segundo Sei Seja Sem Sempre Ser Será Seu Seus Sim Só Sob Sobre Sua Suas Tal
    Talvez Também Tão Tem Temos Tenho Teve Tinha Toda Todas Todo Todos Tu Tudo Um Uma Umas Uns Vai Vamos Vários Você Vocês Vou`,
  counts: {
    labels: `
      página páginas pág pag p capítulo cap n.º n.° nº n° núm número figura fig tabela seção secção parte tomo volume
      vol versão artigo art quarto sala porta portão plataforma linha ônibus autocarro andar piso ano anos século
      classe nível questão pergunta passo fase tipo ato anexo voo eur usd brl tel`,
    months: `
      janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro jan fev mar abr mai jun
      jul ago set out nov dez`,
    links: 'cem cento mil milhão milhões bilhão bilhões bilião de do a e ou graus',
    tails: 'horas manhã tarde noite madrugada meia quadrados cúbicos celsius por',
    numerals: `
      dois duas três quatro cinco seis sete oito nove dez onze doze treze catorze quatorze quinze dezesseis dezasseis
      dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa
      cem cento -centos -centas mil`,
  },
});

export const italian = sentenceRules({
  never: `
    sig sigg sig.ra sig.na sig.re sigra dr dott dott.ssa dott.sse dottssa prof prof.ssa proff avv ing arch geom rag on col ten
    mons card Ill.mo Gent.mo Gent.ma Spett Egr Preg Chiar.mo SS s.ta s.to
    ad es ad.es p.es p.e p v vd cfr ca circa c.d cd cosidd i.e e.g vs n.b nb max mass incl escl ind`,
  sometimes: `v.le p.za p.zza c.so
     lett
     artt cap capp cod fig figg n nn num nr pag pagg sez tab tel tit voll cell fasc ed
        Jr Inc Ltd Co Corp S.p.A Spa S.r.l S.n.c S.a.s S.P.A S.R.L
    gen feb mar apr mag giu lug ago sett ott nov dic lun mer gio ven sab dom
    a.C d.C av.C a.m p.m Ph.D S`,
  usually: 'ecc etc al segg seg ss ecc.ecc',
  beforeNumber: 'par vol art no pp t l',
  afterNumber: 'h min sec km kg ab',
  starters: `
    A Ad Adesso Ai Al Alcune Alcuni Alla Alle Allora Altri Anche Ancora Anzi Appena Avete Aveva Basta Bene C' Che Chi Chiunque
    Ci Ciò Come Comunque Con Contro Così Cosa Da Dai Dal Dalla Davvero Degli Dei Del Della Delle Di Domani Dopo Dov' Dove D' Dunque
    Durante È E Ecco Ed Egli Era Erano Essa Essi Fa Finalmente Fino Forse Fra Fu Gli Già Grazie Ha Hai Hanno Ho I Ieri Il In
    Infatti Infine Inoltre Insieme Intanto Invece Io L' La Le Lei Lo Loro Lui Ma Mai Malgrado Me Meglio Mentre Mi Mia Mio
    Molte Molti Molto Ne Negli Nei Nel Nella Nelle Nemmeno Nessuno Niente No Noi Non Nonostante Nostra Nostro Nulla O Oggi Ogni
    Ognuno Oltre Oppure Ora Però Per Perché Perciò Più Piuttosto Poco Poi Poiché Prima Pure Purtroppo Qualche Qualcuno Quale Quali
    Quando Quanto Quasi Quella Quelle Quelli Quello Questa Queste Questi Questo Qui Quindi Sarà Se Secondo Sei Sembra Sempre
    Senza Si Sì Sia Siamo Solo Soltanto Sono Sopra Sotto Spesso Sta Stai Su Sua Subito Sul Sulla Suo Suoi Tra Troppo Tu Tua Tuo
    Tutta Tutte Tuttavia Tutti Tutto Un Un' Una Uno Va Vedi Vi Voi Vuoi`,
  counts: {
    labels: `
      pagina pagine pag p capitolo cap n n° nº num numero numeri figura fig tabella tab sezione parte tomo volume vol
      versione articolo art camera stanza sala porta binario linea autobus piano anno anni secolo classe livello
      domanda passo fase tipo atto allegato volo treno ore eur usd tel`,
    months: `
      gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre gen feb mar apr
      mag giu lug ago set sett ott nov dic`,
    links: 'cento mila mille milione milioni miliardo miliardi mln mld a e o di gradi',
    tails: `
      mattina mattino pomeriggio sera notte mezza mezzo quarto quadrati cubi celsius all'ora all’ora`,
    numerals: `
      due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette
      diciotto diciannove venti- ventuno ventotto trenta- quaranta- cinquanta- sessanta- settanta- ottanta- novanta-
      cento- -cento mille -mila`,
  },
});
