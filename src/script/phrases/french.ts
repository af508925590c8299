// French phrases and cue words.
import type { ScriptLanguage } from '../script-language.ts';

export const french: ScriptLanguage = {
  phrases: {
    hello: [
      "Bonjour et bienvenue ! J'ai lu quelque chose dont j'aimerais vous parler aujourd'hui.",
      "Bonjour et bienvenue ! Notre sujet aujourd'hui : {title}.",
      "Bonjour et bienvenue ! Je suis {name1}. Voyons ce que dit le texte d'aujourd'hui.",
      "Bonjour et bienvenue ! Je suis {name1}, et {name2} est avec moi. Notre sujet aujourd'hui : {title}.",
      "Merci d'être là. Je m'appelle {name1}, face à moi {name2}, et voici de quoi nous allons parler : {title}.",
    ],
    helloSolo: [
      "Bonjour et bienvenue ! J'ai lu quelque chose dont j'aimerais vous parler aujourd'hui.",
      "Bonjour et bienvenue ! Notre sujet aujourd'hui : {title}.",
      "Bonjour et bienvenue ! Je suis {name1}, et voici le sujet d'aujourd'hui : {title}.",
    ],
    thanks: [
      "Merci pour l'invitation. Il y a beaucoup à en dire.",
      "Je suis content d'être là. J'ai tout lu de près.",
      "Bonjour, {name1} ! J'ai mes notes sous les yeux.",
      "Merci, {name1}. J'ai tout lu de près.",
    ],
    topicFirst: [
      'Commençons par ceci : « {topic} ». Que faut-il savoir ?',
      'Ma première question : « {topic} ». Que dit le texte ?',
      'Je voudrais partir de là : « {topic} ». De quoi est-il question ?',
    ],
    topicNext: [
      'Passons à la suite : « {topic} ». De quoi est-il question ?',
      'Il y a aussi ceci : « {topic} ». Que faut-il retenir ?',
      "Tournons la page : « {topic} ». Qu'y trouve-t-on ?",
      "J'étais curieux de ce passage : « {topic} ». Qu’y lit-on ?",
      'Le point suivant sur ma liste : « {topic} ». Qu’y apprend-on ?',
    ],
    topicLast: [
      'Il reste une partie : « {topic} ». Que dit-elle ?',
      "Et pour la dernière partie : « {topic} ». Qu'y trouve-t-on ?",
      'Avant de finir, encore ceci : « {topic} ». De quoi s’agit-il ?',
    ],
    begin: [
      'Commençons par le début. De quoi est-il question ?',
      'Alors, de quoi est-il question ?',
      'Par où commencer ?',
    ],
    ask: [
      'Et sur ce point : « {term} » ?',
      "Un mot m'a frappé : « {term} ». Qu'en est-il ?",
      'Que dit le texte à ce sujet : « {term} » ?',
      "Qu'apprend-on à propos de ce mot : « {term} » ?",
      "J'ai noté ceci : « {term} ». Que faut-il comprendre ?",
      'Peut-on parler un instant de ceci : « {term} » ?',
      'Cela me mène à ce mot : « {term} ». Que sait-on ?',
    ],
    askOn: [
      'Quoi encore ?',
      'Et ensuite ?',
      'Comment cela continue-t-il ?',
      'Y a-t-il autre chose ?',
      'Que faut-il savoir de plus ?',
      'Et après ?',
    ],
    askReason: ['Pourquoi cela ?', 'Pour quelle raison ?', "Comment cela s'explique-t-il ?"],
    askExample: ['Y a-t-il un exemple ?', 'Et concrètement ?', 'À quoi cela ressemble-t-il en pratique ?'],
    askFigure: ['Y a-t-il des chiffres ?', 'Que donnent les chiffres ?', 'Peut-on le chiffrer ?'],
    askContrast: ['Est-ce vraiment ainsi ?', "Et c'est tout ?", "Mais ce n'est pas tout, n'est-ce pas ?"],
    askConcern: [
      'Y a-t-il un revers ?',
      'Où est le problème ?',
      "Quelque chose s'y oppose-t-il ?",
      'Quelles sont les difficultés ?',
    ],
    askBenefit: ["Qu'y a-t-il de bon là-dedans ?", 'À quoi cela sert-il ?', "Qu'est-ce que cela apporte ?"],
    react: [
      'Je vois.',
      'Intéressant.',
      'Cela se comprend.',
      "Je n'y avais pas pensé.",
      'Bon à savoir.',
      "D'accord.",
      'Je le retiens.',
    ],
    sumUp: [
      'Résumons. Que faut-il retenir ?',
      'Si nous ne gardions que peu de choses, lesquelles ?',
      "L'heure du bilan. Que nous reste-t-il ?",
    ],
    bye: [
      "C'était notre épisode. Merci de votre écoute, et à la prochaine fois !",
      "C'est tout pour aujourd'hui. Merci, {name2}, et merci à vous de votre écoute !",
      'Nous voici à la fin. Un grand merci, {name2}. Je suis {name1}, à la prochaine fois !',
    ],
    byeSolo: [
      "C'était notre épisode. Merci de votre écoute, et à la prochaine fois !",
      "C'est tout pour aujourd'hui. Je suis {name1}. Merci de votre écoute !",
    ],
    byeGuest: ['Au revoir !', "C'était un plaisir. Au revoir !", 'Merci, {name1}. Au revoir à tous !'],
    briefOpen: [
      'Voici votre synthèse.',
      'Votre synthèse de ce texte : {title}.',
      'Synthèse. Le sujet : {title}.',
    ],
    keyThree: [
      'Trois choses comptent le plus.',
      "Trois points d'abord.",
      'Si vous avez une minute, voici les trois points qui comptent.',
    ],
    keyPoints: ["L'essentiel d'abord.", "D'abord ce qui compte le plus."],
    first: ['Premièrement.'],
    second: ['Deuxièmement.'],
    third: ['Troisièmement.'],
    details: ['Voyons maintenant les détails.', "Les détails, dans l'ordre."],
    onTopic: [
      'Sur la partie : « {topic} ».',
      'Sur ce point : « {topic} ».',
      'Partie suivante : « {topic} ».',
    ],
    further: ['Autres détails.', 'À noter également.', 'Il faut retenir aussi ceci.'],
    briefClose: [
      'Ainsi se termine la synthèse.',
      "C'était la synthèse. Tout ce qu'elle contient vient du texte d'origine.",
    ],
    storyOpen: [
      "Approche-toi et installe-toi bien. Aujourd'hui, je vais te raconter quelque chose qui est vraiment écrit.",
      'Il était une fois un enfant qui voulait tout savoir. Et ainsi commence notre histoire.',
      'Il était une fois un enfant qui voulait tout savoir, et surtout ceci : {title}.',
      "Approche-toi et installe-toi bien. Notre histoire s'appelle : {title}.",
    ],
    childHello: ['Oh oui, raconte !', "J'écoute ! Commence !", 'Je suis bien assis. Tu peux commencer !'],
    storyPart: [
      "Et maintenant, écoute bien. Cette partie s'appelle : « {topic} ».",
      "L'histoire continue, et cette partie s'appelle : « {topic} ».",
      'On tourne la page ? Il y a écrit : « {topic} ».',
      'Regarde ce qui vient : « {topic} ».',
    ],
    storyOn: [
      "Et l'histoire continue.",
      'Maintenant, écoute bien.',
      'Et sais-tu ce qui vient ensuite ?',
      'Tournons la page.',
    ],
    childAsk: [
      "Et ce mot, « {term} », qu'est-ce que c'est ?",
      "J'ai une question ! Et « {term} » ?",
      'Parle-moi encore de ce mot : « {term} » !',
      'Oh, « {term} » ! Raconte !',
    ],
    childWonder: [
      'Vraiment ?',
      'Et après ?',
      "Oh ! Et qu'est-ce qui vient maintenant ?",
      "C'est vrai ?",
      'Encore, encore !',
      "C'est passionnant ! Et ensuite ?",
    ],
    toChild: [
      'Le savais-tu déjà ?',
      "Qu'en penses-tu ?",
      "Peux-tu l'imaginer ?",
      "L'aurais-tu deviné ?",
      'Ferme les yeux un instant et imagine. Tu vois ?',
    ],
    toChildTerm: [
      'As-tu déjà entendu ce mot : « {term} » ?',
      'Répète avec moi : « {term} ». Bravo !',
      'À quoi penses-tu quand tu entends : « {term} » ?',
    ],
    childAnswer: [
      'Hum, il faut que je réfléchisse.',
      'Oh, je veux en savoir plus !',
      'Formidable !',
      'Je vais le raconter à mes amis !',
    ],
    again: [
      "C'était important, alors je le redis.",
      'Redisons-le ensemble.',
      "Et comme c'était joli, encore une fois.",
    ],
    storyEnd: [
      "Et c'est la fin de notre histoire. Dors bien, et rêve de ce que tu as entendu.",
      'Et qui continue à poser des questions entendra encore beaucoup d’histoires. Fin.',
      "C'était notre histoire. Qu'as-tu préféré ?",
    ],
    childBye: [
      "C'était beau. Tu m'en raconteras une autre demain ?",
      "Merci pour l'histoire ! Bonne nuit !",
      "Encore, s'il te plaît !",
    ],
    debateOpen: [
      'Bienvenue à notre débat. Un texte, deux regards.',
      'Bienvenue à notre débat. Le sujet : {title}.',
      'Bienvenue à notre débat. Le sujet : {title}. Je suis {name1}, et face à moi se trouve {name2}.',
    ],
    debateOpenSolo: [
      "On peut lire un texte de deux façons. J'essaierai les deux.",
      'Deux côtés d’un même sujet : {title}. Je les écouterai tous les deux.',
    ],
    sideFor: ['Je parle de ce qui est en sa faveur.', 'Mon côté : ce qui parle pour.'],
    sideAgainst: [
      'Et moi, je parle des doutes.',
      "Alors je prends l'autre côté : les doutes et les difficultés.",
    ],
    sidesSolo: [
      "D'abord ce qui parle pour, puis ce qui parle contre, et ainsi de suite.",
      'Je pèse le pour et le contre.',
    ],
    common: ["D'abord, ce que dit le texte, avant de débattre.", 'Avant de débattre, les faits.'],
    noSides: ['Le texte lui-même ne prend pas parti. Deux de ses parties vont donc se faire face.'],
    sideTopic: [
      'Le texte lui-même ne prend pas parti, alors chacun de nous souligne une partie. La mienne : « {term} ».',
      'Pour être honnête, le texte ne se contredit pas. Débattons donc de ce qui compte le plus. Je dis : « {term} ».',
    ],
    otherTopic: [
      'Et moi, je dis que ceci compte davantage : « {term} ».',
      'Je préfère souligner ceci : « {term} ».',
    ],
    topicsSolo: [
      'Le texte lui-même ne prend pas parti. Je me demande donc ce qui compte le plus : « {term} » ou « {other} » ?',
    ],
    claim: ['Je commence.', 'Alors je commence par ceci.', 'Mon premier point.'],
    reply: [
      'Vous parlez de ceci : « {term} ». Voici ma réponse.',
      'Oui, « {term} ». Mais considérez aussi ceci.',
      '« {term} », le point est juste. Pourtant, voyez ceci.',
      "J'ai entendu : « {term} ». Je mets ceci à côté.",
      'Sur ce mot, « {term} », il y a plus à dire.',
    ],
    replyOn: [
      "C'est possible. Mais voici mon point suivant.",
      "Je l'accorde. Considérez maintenant ceci.",
      'Permettez-moi de répondre.',
      'Soit. Mais le texte dit aussi ceci.',
      "C'est une façon de voir. En voici une autre.",
    ],
    soloFor: ['En sa faveur, le texte dit ceci.', 'Qu’est-ce qui parle pour ?', 'D’un côté.'],
    soloAgainst: ['De l’autre côté.', 'Mais qu’en est-il des doutes ?', 'Et maintenant, contre.'],
    soloOne: ['Du côté de « {term} ».', 'Revenons à ce point : « {term} ».'],
    soloOther: ['Du côté de « {term} ».', "Et maintenant l'autre côté : « {term} »."],
    lastWord: ['Mon dernier mot.', 'Je conclus ainsi.'],
    lastWordOther: ['Pour ma part, je finis ainsi.', 'Et voici mon dernier mot.'],
    lastWordsSolo: ['Pour finir, une phrase de chaque côté.'],
    debateEnd: [
      'Qui a raison ? À vous de décider. Merci de votre écoute.',
      'Nous en restons là. Le verdict vous appartient.',
    ],
    debateEndSolo: [
      'Quel côté pèse le plus ? À vous de décider.',
      'Je vous laisse le verdict. Merci de votre écoute.',
    ],
    titleOpening: ['Bienvenue'],
    titleKeyPoints: ["L'essentiel"],
    titleSummary: ['Résumé'],
    titleClosing: ['Conclusion'],
  },
  terms: {
    found: 'after',
    adjectives: 'behind',
    words: 'le, la, les, l, un, une, des, du, de, d, ce, cette, ces, leur, leurs, chaque, plusieurs, au, aux',
  },
  cues: {
    connectives:
      'cependant, toutefois, néanmoins, pourtant, en effet, de plus, en outre, par ailleurs, ainsi, donc, par conséquent, en fait, bien sûr, enfin, finalement, en somme, en résumé, également',
    leaning:
      "il, elle, ils, elles, ce, cela, ceci, c'est, c'était, cet, cette, ces, celui, celle, ceux, celles, mais, et, ou, car, puis, alors, aussi, leur, leurs, son, sa, ses, par exemple, au contraire, en revanche, de même, ainsi, donc, certains, certaines, d'autres, les deux, y, en revanche, pour cette raison, ensuite, l'autre, on y, depuis, depuis lors, dès lors, jusque-là, après cela, avant cela, sans elle, sans lui, sans eux, avec elle, avec lui, avec eux, chacun, chacune, d'autres, les autres, quand il, quand elle, quand ils, quand elles, lorsqu'il, lorsqu'elle, lorsqu'ils, lorsqu'elles, s'il, s'ils, si elle, si elles, parce qu'il, parce qu'elle, la deuxième, le deuxième, la seconde, le second, la troisième, le troisième",
    benefit:
      'avantage*, bénéfi*, amélior*, aide, aident, utile*, réussi*, succès, efficace*, économis*, économies, moins cher, plus rapide*, plus sûr*, meilleur*, gagn*, positif*, positive*, permet, permettent, renforc*, fiable*, protèg*, facilit*',
    concern:
      'inconvénient*, risque*, problème*, crain*, danger*, échec*, échou*, peur*, critique*, menace*, difficult*, difficile*, coûteu*, cher, chère*, nuis*, manque*, perte*, perd*, dommage*, pire*, malheureusement, obstacle*, négatif*, négative*, doute*, bruit, fragile*, pénurie*, abandonné*',
    contrast:
      'mais, cependant, toutefois, néanmoins, pourtant, malgré, bien que, en revanche, tandis que, alors que, malheureusement',
    reason: 'parce que, parce qu*, car, puisque, en raison, à cause, grâce à, la raison',
    example: 'par exemple, un exemple',
    seenNumbered:
      'figure, figures, fig, tableau, tableaux, page, pages, p, chapitre, section, équation, annexe, voir, photo',
    seen: 'voir ci-dessous, voir ci-dessus, ci-dessous, ci-dessus, ci-contre, cliquez, ce chapitre, cet article, cette page, comme suit, le tableau suivant, la figure suivante, et al, ibid, cookies',
    common:
      'abord, bout, travers, cause, moyen, dans, avec, pour, plus, moins, très, tout, toute, tous, toutes, être, avoir, fait, faire, sont, était, étaient, elle, elles, nous, vous, leur, leurs, cette, autre, autres, même, mêmes, comme, aussi, entre, sans, sous, vers, chez, dont, quand, encore, déjà, toujours, jamais, souvent, temps, année, années, jour, jours, mois, heure, heures, fois, partie, parties, nombre, plupart, personne, personnes, gens, chose, choses, cas, exemple, manière, façon, moment, côté, début, fin, moitié, tiers, quart, lieu, suite, place, point, grand, grande, petit, petite, nouveau, nouvelle, vieux, vieille, premier, première, dernier, dernière, deux, trois, quatre, cinq, plusieurs, beaucoup, certains, certaines, monde, janvier, février, mars, avril, juin, juillet, août, septembre, octobre, novembre, décembre, dimanche, lundi, euros',
  },
};
