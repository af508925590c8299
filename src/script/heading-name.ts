// A heading as people say it: without its number, not in capitals. Headings that every text has ("Introduction") name
// nothing, and those too long to be said in one breath are left to the readers.

import { withoutEnd } from '../base/without-end.ts';

const NUMBERING =
  /^(?:(?:chapter|section|part|kapitel|teil|abschnitt|chapitre|partie|capítulo|capitolo|hoofdstuk|rozdział|глава)\s+(?:\d+(?:\.\d+)*|[ivxlc]+)[.:]?\s+(?=\S)|\d+(?:\.\d+)+[.)]?\s+|\(\d+\)\s*|[—–-]+\s*(?=\p{L})|(?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z]|[a-z])[.)]\s*[—–-]*\s*|\d+(?:\.\d+)*\s+|§+\s*\d+\s*|第[\p{N}一二三四五六七八九十百]+[章节節部回]\s*|[一二三四五六七八九十]+、)/iu;
const MAX_CHARACTERS = 90;
/** In any language that the phrase tables know; a word that names a subject in one of them is not here. */
const GENERIC = new Set(
  `introduction|abstract|description|synopsis|notes and remarks|summary|executive summary|conclusion|conclusions|overview|background|discussion|results|methods|method|contents|table of contents|preface|foreword|appendix|references|acknowledgements|notes|outlook
einleitung|einführung|zusammenfassung|fazit|überblick|übersicht|hintergrund|diskussion|ergebnisse|methoden|inhalt|inhaltsverzeichnis|vorwort|anhang|literatur|ausblick|schluss
résumé|conclusion générale|sommaire|aperçu|contexte|résultats|méthodes|avant-propos|annexe|bibliographie|perspectives
introducción|resumen|conclusiones|conclusión|índice|contexto|resultados|métodos|prólogo|anexo|introduzione|sommario|conclusioni|conclusione|indice|risultati|metodi|prefazione|appendice
introdução|resumo|conclusão|conclusões|sumário|resultados e discussão|inleiding|samenvatting|conclusie|inhoud|overzicht|achtergrond|resultaten|wstęp|streszczenie|wnioski|podsumowanie|spis treści
inledning|sammanfattning|slutsats|innehåll|bakgrund|resultat|indledning|resumé|konklusion|indhold|baggrund|úvod|závěr|shrnutí|obsah|souhrn
введение|заключение|выводы|содержание|аннотация|вступ|висновки|зміст|анотація|giriş|sonuç|özet|içindekiler
はじめに|おわりに|まとめ|概要|目次|序論|結論|緒論|背景|引言|前言|摘要|结论|总结|目录|概述|서론|결론|요약|목차|개요
مقدمة|المقدمة|خاتمة|الخاتمة|ملخص|परिचय|निष्कर्ष|सारांश|pendahuluan|kesimpulan|ringkasan|daftar isi|εισαγωγή|συμπεράσματα|περίληψη|περιεχόμενα`.split(
    /[|\n]/,
  ),
);

/** What stands under these is the apparatus of a book: sources, thanks, rights, contents. */
const APPARATUS = new Set(
  `references|bibliography|works cited|literature cited|further reading|acknowledgements|acknowledgments|acknowledgement|contents|table of contents|index|see also|copyright|license|licence|legal notice|copying|author|authors|author contributions|about the author|funding|competing interests|conflict of interest|data availability|footnotes|endnotes|list of figures|list of tables|changelog|change log|revision history|reporting bugs|standards|conforming to|versions|contributors|colophon|credits|transcriber's note|transcriber's notes
literatur|literaturverzeichnis|quellen|danksagung|inhalt|inhaltsverzeichnis|impressum|autoren|lizenz|siehe auch|abbildungsverzeichnis
bibliographie|références|remerciements|table des matières|sommaire|auteurs|licence|voir aussi|bibliografía|referencias|agradecimientos|índice|licencia|véase también
bibliografia|riferimenti|ringraziamenti|indice|licenza|vedi anche|referências|agradecimentos|sumário|licença|ver também|literatuur|bronnen|dankwoord|inhoud|inhoudsopgave|zie ook
literatura|podziękowania|spis treści|zobacz też|licencja|литература|список литературы|благодарности|содержание|оглавление|лицензия|см. также|kaynakça|kaynaklar|teşekkür|içindekiler|lisans|ayrıca bakınız
litteratur|referenser|källor|tack|innehåll|innehållsförteckning|licens|se även|参考文献|致谢|目录|版权|另见|謝辞|目次|著作権|関連項目|참고문헌|참고 문헌|감사의 글|목차|저작권
المراجع|المصادر|شكر وتقدير|المحتويات|حقوق النشر|संदर्भ|संदर्भ सूची|आभार|विषय सूची|कॉपीराइट`.split(/[|\n]/),
);

const LISTING =
  /^(?:(?:a |an |the )?(?:list|index|table) of |verzeichnis der |liste der |liste des |índice de )/u;

const plainCase = (text: string): string => {
  const letters = text.match(/\p{L}/gu) ?? [];
  if (letters.length < 6 || text !== text.toLocaleUpperCase('und') || text === text.toLocaleLowerCase('und'))
    return text;
  const lower = text.toLocaleLowerCase('und');
  return lower.replace(/\p{L}/u, (first) => first.toLocaleUpperCase('und'));
};

/** Without its number and what stands behind it. */
const bareHeading = (heading: string): string =>
  withoutEnd(heading.replace(/\s+/gu, ' ').trim().replace(NUMBERING, ''), /[\s.:;,。：、…]/u);

/** "Chapter IV": a number, and no name. */
const ONLY_NUMBER =
  /^(?:chapter|section|part|book|lecture|kapitel|teil|abschnitt|chapitre|partie|capítulo|capitolo|hoofdstuk|rozdział|глава)\s+(?:\d+|[ivxlc]+)$/iu;
/** A line that leads into verse or a quotation, and not over a part of the text. */
const LEADS_ON = /[,;:—–-]\s*$/u;

/** Undefined: there is no name in it. A question keeps its mark. */
export function headingName(heading: string | undefined): string | undefined {
  if (LEADS_ON.test(heading ?? '')) return undefined;
  const name = plainCase(bareHeading(heading ?? '')).replace(
    /(?<![\p{L}\p{N}])[_*]+|[_*]+(?![\p{L}\p{N}])/gu,
    '',
  );
  if (ONLY_NUMBER.test(name)) return undefined;
  if (name.length > MAX_CHARACTERS || !/\p{L}{2}/u.test(name) || /[{}]/.test(name)) return undefined;
  return GENERIC.has(name.toLowerCase()) ? undefined : name;
}

/** What a text comes to in the end stands under these. */
const CONCLUSIONS = new Set(
  `conclusion|conclusions|concluding remarks|summary|summary and conclusions|outlook|final remarks|fazit|zusammenfassung|ausblick|schluss
conclusion générale|perspectives|conclusiones|conclusión|conclusioni|conclusione|conclusão|conclusões|considerações finais
conclusie|conclusies|slutsats|slutsatser|wnioski|podsumowanie|заключение|выводы|sonuç|sonuçlar|おわりに|まとめ|結論|结论|总结|结语|결론|맺음말|الخاتمة|خاتمة|निष्कर्ष`.split(
    /[|\n]/,
  ),
);

export const isConclusion = (heading: string): boolean => CONCLUSIONS.has(bareHeading(heading).toLowerCase());

/** Whether a heading opens what is no part of the text itself. */
export function isApparatus(heading: string): boolean {
  const name = bareHeading(heading).toLowerCase();
  return APPARATUS.has(name) || LISTING.test(name);
}

export const isQuestion = (name: string): boolean => /[?？؟]$/u.test(name);

/** A title as its file has it may be the file's name. */
export function titleName(title: string | undefined): string | undefined {
  const bare = (title ?? '')
    .replace(/^Microsoft \w+ - /u, '')
    .replace(/\.(?:pdf|docx?|odt|txt|md|html?|epub|rtf|pptx?|csv)$/iu, '');
  const name = headingName(/\s/u.test(bare) ? bare : bare.replace(/[_-]+/gu, ' '));
  return name === undefined || /^(?:untitled|document|dokument)\b/iu.test(name) ? undefined : name;
}
