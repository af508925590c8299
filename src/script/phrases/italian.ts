// Italian phrases and cue words.
import type { ScriptLanguage } from '../script-language.ts';

export const italian: ScriptLanguage = {
  phrases: {
    hello: [
      'Ciao e benvenuti! Ho letto qualcosa che oggi vorrei raccontarvi.',
      'Ciao e benvenuti! Il nostro tema di oggi: {title}.',
      'Ciao e benvenuti! Sono {name1}. Vediamo che cosa dice il testo di oggi.',
      'Ciao e benvenuti! Sono {name1}, e con me c’è {name2}. Il nostro tema di oggi: {title}.',
    ],
    helloSolo: [
      'Ciao e benvenuti! Ho letto qualcosa che oggi vorrei raccontarvi.',
      'Ciao e benvenuti! Il nostro tema di oggi: {title}.',
      'Ciao e benvenuti! Sono {name1}, ed ecco il tema di oggi: {title}.',
    ],
    thanks: [
      'Grazie dell’invito. C’è parecchio da dire.',
      'Un piacere essere qui. Ho letto tutto con attenzione.',
      'Grazie, {name1}. Ho letto tutto con attenzione.',
    ],
    topicFirst: [
      'Cominciamo da qui: «{topic}». Che cosa dobbiamo sapere?',
      'La mia prima domanda: «{topic}». Che cosa dice il testo?',
    ],
    topicNext: [
      'Passiamo alla parte seguente: «{topic}». Di che cosa si tratta?',
      'Poi c’è questo: «{topic}». Che cosa dovremmo sapere?',
      'Voltiamo pagina: «{topic}». Che cosa troviamo?',
      'Ero curioso di questa parte: «{topic}». Che cosa dice?',
    ],
    topicLast: [
      'Resta una parte: «{topic}». Che cosa dice?',
      'E ora l’ultima parte: «{topic}». Che cosa troviamo?',
    ],
    begin: ['Cominciamo dall’inizio. Di che cosa si tratta?', 'Allora, di che cosa si tratta?'],
    ask: [
      'E che cosa c’è da dire su questo: «{term}»?',
      'Una parola mi ha colpito: «{term}». Di che si tratta?',
      'Che cosa dice il testo su questo punto: «{term}»?',
      'Qui ho preso un appunto: «{term}». Che cosa c’è dietro?',
      'Possiamo parlare un momento di questo: «{term}»?',
      'Questo mi porta a un’altra parola: «{term}». Che cosa sappiamo?',
    ],
    askOn: ['Che altro?', 'E come continua?', 'Che cosa viene dopo?', 'C’è dell’altro?', 'E poi?'],
    askReason: ['Perché?', 'Qual è il motivo?', 'Come mai?'],
    askExample: ['C’è un esempio?', 'E in pratica?'],
    askFigure: ['Ci sono delle cifre?', 'Che cosa dicono i numeri?'],
    askContrast: ['È davvero così?', 'E questo è tutto?'],
    askConcern: ['C’è anche un altro lato?', 'Dov’è il problema?', 'Quali sono le difficoltà?'],
    askBenefit: ['Che cosa c’è di buono?', 'Qual è il vantaggio?'],
    react: [
      'Capisco.',
      'Interessante.',
      'Ha senso.',
      'Non ci avevo pensato.',
      'Buono a sapersi.',
      'Va bene.',
    ],
    sumUp: ['Riassumiamo. Che cosa dovremmo ricordare?', 'È ora di tirare le somme. Che cosa ci resta?'],
    bye: [
      'E questa era la nostra puntata. Grazie dell’ascolto e alla prossima!',
      'Per oggi è tutto. Grazie, {name2}, e grazie a voi dell’ascolto!',
      'Siamo alla fine. Molte grazie, {name2}. Io sono {name1}, alla prossima!',
    ],
    byeSolo: [
      'E questa era la nostra puntata. Grazie dell’ascolto e alla prossima!',
      'Per oggi è tutto. Sono {name1}. Grazie dell’ascolto!',
    ],
    byeGuest: ['Arrivederci!', 'È stato un piacere. Arrivederci!', 'Grazie, {name1}. Arrivederci a tutti!'],
    briefOpen: ['Ecco la sintesi.', 'La sintesi di questo testo: {title}.'],
    keyThree: ['Tre cose contano di più.', 'Prima di tutto, tre punti.'],
    keyPoints: ['Prima la cosa più importante.', 'Cominciamo da ciò che conta di più.'],
    first: ['Primo.'],
    second: ['Secondo.'],
    third: ['Terzo.'],
    details: ['E ora i dettagli.', 'I dettagli, in ordine.'],
    onTopic: ['Sulla parte: «{topic}».', 'Su questo punto: «{topic}».', 'Parte seguente: «{topic}».'],
    further: ['Altri dettagli.', 'C’è altro da notare.'],
    briefClose: [
      'Qui finisce la sintesi.',
      'Questa era la sintesi. Tutto ciò che contiene viene dal testo originale.',
    ],
    storyOpen: [
      'Vieni più vicino e mettiti comodo. Oggi ti racconto qualcosa che è scritto davvero.',
      'C’era una volta un bambino che voleva sapere tutto. E così comincia la nostra storia.',
      'C’era una volta un bambino che voleva sapere tutto, e soprattutto questo: {title}.',
      'Vieni più vicino e mettiti comodo. La nostra storia si chiama: {title}.',
    ],
    childHello: ['Sì, racconta!', 'Sono tutto orecchi! Comincia!', 'Sono seduto. Puoi cominciare!'],
    storyPart: [
      'E adesso ascolta bene. Questa parte si chiama: «{topic}».',
      'La storia continua, e questa parte si chiama: «{topic}».',
      'Voltiamo pagina? Qui c’è scritto: «{topic}».',
    ],
    storyOn: ['E la storia continua.', 'Adesso ascolta bene.', 'E sai che cosa viene dopo?'],
    childAsk: [
      'E che cos’è questo: «{term}»?',
      'Ho una domanda! E «{term}»?',
      'Raccontami ancora di questa parola: «{term}»!',
      'Oh, «{term}»! Racconta!',
    ],
    childWonder: ['Davvero?', 'E poi?', 'Oh! E adesso che cosa viene?', 'È vero?', 'Ancora, ancora!'],
    toChild: [
      'Lo sapevi già?',
      'Che cosa ne pensi?',
      'Riesci a immaginarlo?',
      'Chiudi gli occhi un momento e immaginalo. Lo vedi?',
    ],
    toChildTerm: ['Hai mai sentito questa parola: «{term}»?', 'Ripeti con me: «{term}». Bravo!'],
    childAnswer: [
      'Hm, devo pensarci.',
      'Voglio saperne di più!',
      'Che bello!',
      'Lo racconterò ai miei amici!',
    ],
    again: ['Era importante, perciò lo dico ancora una volta.', 'Diciamolo ancora una volta insieme.'],
    storyEnd: [
      'E questa è la fine della nostra storia. Dormi bene e sogna quello che hai sentito.',
      'Questa era la nostra storia. Che cosa ti è piaciuto di più?',
    ],
    childBye: [
      'Che bella! Domani me ne racconti un’altra?',
      'Grazie della storia! Buona notte!',
      'Ancora una volta, per favore!',
    ],
    debateOpen: [
      'Benvenuti al nostro dibattito. Un testo, due punti di vista.',
      'Benvenuti al nostro dibattito. Il tema: {title}.',
      'Benvenuti al nostro dibattito. Il tema: {title}. Sono {name1}, e di fronte a me c’è {name2}.',
    ],
    debateOpenSolo: [
      'Un testo si può leggere in due modi. Li proverò tutti e due.',
      'Due lati di un tema: {title}. Li ascolterò tutti e due.',
    ],
    sideFor: ['Io parlo di ciò che è a favore.', 'Il mio lato: ciò che parla a favore.'],
    sideAgainst: ['E io parlo dei dubbi.', 'Allora prendo l’altro lato: i dubbi e le difficoltà.'],
    sidesSolo: ['Prima ciò che parla a favore, poi ciò che parla contro, e così via.'],
    common: ['Prima di discutere, vediamo che cosa dice il testo.', 'Prima di tutto, i fatti.'],
    noSides: ['Il testo stesso non prende posizione. Perciò due sue parti si metteranno a confronto.'],
    sideTopic: [
      'Il testo stesso non prende posizione, perciò ognuno di noi ne sottolinea una parte. La mia è: «{term}».',
    ],
    otherTopic: [
      'E io dico che conta di più un’altra cosa: «{term}».',
      'Io preferisco sottolineare questo: «{term}».',
    ],
    topicsSolo: [
      'Il testo stesso non prende posizione. Allora mi chiedo che cosa conta di più: «{term}» o «{other}»?',
    ],
    claim: ['Comincio io.', 'Il mio primo punto.'],
    reply: [
      'Lei ha detto «{term}». Io rispondo così.',
      'Sì, «{term}». Ma consideri anche questo.',
      '«{term}» è un buon punto. Eppure, guardi qui.',
      'Su questo punto, «{term}», c’è altro da dire.',
    ],
    replyOn: [
      'Può darsi. Ma ecco il mio prossimo punto.',
      'Lo ammetto. Ora consideri questo.',
      'Vorrei rispondere.',
      'Va bene. Ma il testo dice anche questo.',
    ],
    soloFor: ['A favore, il testo dice questo.', 'Da un lato.'],
    soloAgainst: ['Dall’altro lato.', 'Ma che dire dei dubbi?'],
    soloOne: ['Dal lato di «{term}».', 'Torniamo a questo punto: «{term}».'],
    soloOther: ['Dal lato di «{term}».', 'E ora l’altro lato: «{term}».'],
    lastWord: ['La mia ultima parola.'],
    lastWordOther: ['E la mia.'],
    lastWordsSolo: ['Per finire, una frase per ogni lato.'],
    debateEnd: ['Chi ha ragione? Decidete voi. Grazie dell’ascolto.'],
    debateEndSolo: ['Quale lato pesa di più? Decidete voi. Grazie dell’ascolto.'],
    titleOpening: ['Benvenuti'],
    titleKeyPoints: ['I punti principali'],
    titleSummary: ['Riassunto'],
    titleClosing: ['Conclusione'],
  },
  terms: {
    found: 'after',
    adjectives: 'behind',
    words:
      'il, lo, la, i, gli, le, un, uno, una, del, dello, della, dei, degli, delle, di, al, alla, nel, nella, sul, sulla, questo, questa, questi, queste, suo, sua, ogni, molti, molte, l, dell, nell, sull, un',
  },
  cues: {
    connectives:
      'tuttavia, inoltre, perciò, quindi, dunque, infatti, in effetti, naturalmente, infine, in breve, in conclusione, anche, allo stesso modo, di conseguenza, comunque',
    leaning:
      'esso, essa, essi, esse, lui, lei, loro, questo, questa, questi, queste, quello, quella, quelli, quelle, ciò, ma, e, o, perché, poi, allora, così, suo, sua, suoi, sue, per esempio, ad esempio, al contrario, invece, per questo, entrambi, entrambe, altri, altre, alcuni, alcune, anche, inoltre, quindi, perciò',
    benefit:
      'vantagg*, benefic*, miglior*, aiuta, aiutano, utile, utili, success*, efficien*, efficac*, risparmi*, più economic*, più veloc*, più sicur*, guadagn*, positiv*, permette, permettono, rafforz*, affidabil*, protegge, facilita*, opportunità',
    concern:
      'svantagg*, rischi*, problem*, preoccup*, pericol*, fallim*, fallisc*, paura, temono, critic*, minacci*, difficil*, difficoltà, costos*, caro, cara, dann*, mancanza, perdit*, perd*, peggior*, purtroppo, ostacol*, negativ*, dubbi*, rumor*, fragil*, carenz*',
    contrast: 'ma, tuttavia, però, nonostante, sebbene, mentre, invece, purtroppo, eppure',
    reason: 'perché, poiché, a causa, grazie a, dato che, il motivo',
    example: 'per esempio, ad esempio, un esempio',
    seenNumbered:
      'figura, figure, fig, tabella, tabelle, pagina, pagine, pag, capitolo, sezione, equazione, appendice, vedi, foto',
    seen: 'vedi sopra, vedi sotto, qui sopra, qui sotto, sopra citat*, come segue, clicca, questo capitolo, questo articolo, questa pagina, la tabella seguente, la figura seguente, et al, ibid, cookie',
    common:
      'come, anche, molto, molti, molte, tutti, tutte, tutto, questo, questa, questi, queste, quello, quella, altro, altra, altri, altre, stesso, stessa, sopra, sotto, dopo, prima, quando, dove, sempre, mai, essere, avere, fare, sono, hanno, anni, anno, giorno, giorni, mesi, mese, tempo, tempi, volta, volte, parte, parti, numero, persone, persona, gente, cosa, cose, caso, casi, esempio, modo, modi, momento, inizio, fine, metà, terzo, luogo, posto, punto, grande, grandi, piccolo, piccola, nuovo, nuova, vecchio, vecchia, primo, ultimo, ultima, alcuni, alcune, maggior, maggioranza, mondo, gennaio, febbraio, marzo, aprile, maggio, giugno, luglio, agosto, settembre, ottobre, novembre, dicembre, euro',
  },
};
