// What came of the speeches of a group: how far word starts were off, how often a bound held, what was late, and what was
// wrongly said to have been heard. Errors are kept whole, so that their quantiles are exact.

/** Times are told in whole milliseconds. */
const ROUNDING_MS = 1;

/** Whether a word that begins at `trueMs` went out when the audio before `ms` had been heard, or sent; not where no time is known. */
export const isLate = (trueMs, ms) => trueMs !== undefined && ms > trueMs + ROUNDING_MS;

const quantile = (sorted, share) =>
  sorted.length === 0 ? 0 : sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

function createErrors() {
  const offMs = [];
  let bounded = 0;
  let held = 0;
  return {
    add(errorMs, withinMs) {
      offMs.push(Math.abs(errorMs));
      if (withinMs === undefined) return;
      bounded += 1;
      if (Math.abs(errorMs) <= withinMs) held += 1;
    },
    figures() {
      const sorted = Float64Array.from(offMs).sort();
      return {
        words: sorted.length,
        medianMs: quantile(sorted, 0.5),
        p95Ms: quantile(sorted, 0.95),
        mostMs: sorted.at(-1) ?? 0,
        withinPercent: bounded === 0 ? undefined : (100 * held) / bounded,
      };
    },
  };
}

/**
 * What is wrong with saying that `word`, an index or −1, was the last one that had begun at `heardMs`: 'ahead', it had
 * not; 'short', it lacks more than one that had. A word whose time is not told begins no earlier than those before it.
 */
function judgeMoment(truthMs, { heardMs, word }) {
  const known = truthMs.slice(0, word + 1).findLast((ms) => ms !== undefined);
  if (known !== undefined && known > heardMs + ROUNDING_MS) return 'ahead';
  const lacking = truthMs.slice(word + 1).filter((ms) => ms !== undefined && ms < heardMs - ROUNDING_MS);
  return lacking.length > 1 ? 'short' : 'right';
}

/** `chosen` of a speech's moments are those that were drawn by chance; `all` are as many as there were ticks. */
const createMoments = () => ({ all: 0, ahead: 0, short: 0 });

export function createTally() {
  const whole = createErrors();
  const streamed = createErrors();
  /** Of the streamed ones, those that went out before any audio had been timed. */
  const blind = createErrors();
  const counts = { speeches: 0, words: 0, untold: 0, lateHeard: 0, lateSent: 0, unsaid: 0 };
  const chosen = createMoments();
  const every = createMoments();
  const count = (into, verdict) => {
    into.all += 1;
    if (verdict !== 'right') into[verdict] += 1;
  };
  return {
    /** A measured speech; `drawn` are the indices of its moments that count as chosen. */
    add({ truthMs, words, captions, moments, drawn }) {
      counts.speeches += 1;
      counts.words += truthMs.length;
      counts.unsaid += truthMs.length - captions.length;
      for (const [index, ms] of truthMs.entries()) {
        if (ms === undefined) counts.untold += 1;
        else whole.add(words[index].startMs - ms, words[index].withinMs);
      }
      for (const { word, startMs, withinMs, heardMs, sentMs, isBlind } of captions) {
        const ms = truthMs[word];
        if (ms === undefined) continue;
        streamed.add(startMs - ms, withinMs);
        if (isBlind) blind.add(startMs - ms, withinMs);
        if (isLate(ms, heardMs)) counts.lateHeard += 1;
        if (isLate(ms, sentMs)) counts.lateSent += 1;
      }
      const verdicts = moments.map((moment) => judgeMoment(truthMs, moment));
      for (const verdict of verdicts) count(every, verdict);
      for (const at of drawn) count(chosen, verdicts[at]);
    },
    figures: () => ({
      ...counts,
      whole: whole.figures(),
      streamed: streamed.figures(),
      blind: blind.figures(),
      moments: { ...chosen },
      everyMoment: { ...every },
    }),
  };
}
