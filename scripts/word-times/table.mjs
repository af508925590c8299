// The figures of groups as lines of a table. A mark stands behind a figure that misses its aim.

import { aimsOf } from './aims.mjs';

const NAME_WIDTH = 34;

const percent = (share) => (share === undefined ? '–' : share.toFixed(0));

function errorCells(figures, aims) {
  const { medianMs, p95Ms, mostMs, withinPercent } = figures;
  const marked = (found, most) => `${found.toFixed(0)}${found > most ? '!' : ' '}`;
  return [
    marked(medianMs, aims.medianMs).padStart(6),
    marked(p95Ms, aims.p95Ms).padStart(7),
    mostMs.toFixed(0).padStart(6),
    percent(withinPercent).padStart(5),
  ].join('');
}

export const TABLE_HEAD = [
  `${''.padEnd(NAME_WIDTH)}                    whole: ms off        within   streamed: ms off      within    late           heard text: wrong`,
  `${''.padEnd(NAME_WIDTH)}speech  words  told   p50    p95  most    %      p50    p95  most    %    heard sent       drawn         every tick %`,
].join('\n');

export function tableLine(name, kind, figures) {
  const { speeches, words, untold, whole, streamed, lateHeard, lateSent, moments, everyMoment } = figures;
  const aims = aimsOf(kind);
  const share = (count) => ((100 * count) / Math.max(1, everyMoment.all)).toFixed(2);
  return [
    name.padEnd(NAME_WIDTH),
    String(speeches).padStart(6),
    String(words).padStart(7),
    String(words - untold).padStart(7),
    errorCells(whole, aims.whole),
    '  ',
    errorCells(streamed, aims.streamed),
    `${lateHeard}${lateHeard > 0 ? '!' : ' '}`.padStart(8),
    String(lateSent).padStart(5),
    `   ${moments.ahead} ahead ${moments.short} short of ${moments.all}`.padEnd(28),
    `${share(everyMoment.ahead)} / ${share(everyMoment.short)}`,
  ].join('');
}
