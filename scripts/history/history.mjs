// What a history trial writes down and is judged by: what was asked, what was acknowledged, which instances were hurt when, and what
// was not as promised. Numbers that are drawn follow from the seed and a name, whatever else runs.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { seededWords } from '../seeded.mjs';

/** Random numbers that follow from `seed` and `name`. */
export function createDraw(seed, name) {
  const next = seededWords(createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE());
  const draw = () => next() / 2 ** 32;
  return {
    between: (least, most) => least + draw() * (most - least),
    of: (list) => list[Math.floor(draw() * list.length)],
    isIn: (share) => draw() < share,
  };
}

/** An instance that was hurt may refuse, and a balancer may send there, for so long afterwards. */
const AFTERWARDS_MS = 15_000;

export class History {
  entries = [];
  counts = {};
  violations = [];
  beganMs = performance.now();

  now() {
    return performance.now() - this.beganMs;
  }
  note(what, fields = {}) {
    this.entries.push({ atMs: Math.round(this.now()), what, ...fields });
  }
  count(name, by = 1) {
    this.counts[name] = (this.counts[name] ?? 0) + by;
  }
  violation(words) {
    this.violations.push(words);
    this.note('violation', { words });
    console.error(`VIOLATION at ${Math.round(this.now() / 1000)} s: ${words}`);
  }
  write(file) {
    writeFileSync(file, this.entries.map((each) => `${JSON.stringify(each)}\n`).join(''));
  }
}

/** `place` is hurt from now until the result is called. */
export function hurt(place, kind, history) {
  const harm = { kind, fromMs: performance.now(), untilMs: Number.POSITIVE_INFINITY };
  place.harms = [...(place.harms ?? []), harm];
  history.note('act', { kind, instance: place.at });
  return () => {
    harm.untilMs = performance.now();
    history.note('act over', { kind, instance: place.at });
  };
}
/** The harms of these places from `fromMs` to `toMs` (performance.now()), and what they leave for `afterwardsMs`. */
export const harmsOf = (places, fromMs, afterwardsMs = AFTERWARDS_MS, toMs = Number.POSITIVE_INFINITY) =>
  places.flatMap(({ harms = [] }) =>
    harms.filter((harm) => harm.untilMs + afterwardsMs > fromMs && harm.fromMs <= toMs),
  );
export const isHurt = (place) =>
  (place.harms ?? []).some(({ untilMs }) => untilMs === Number.POSITIVE_INFINITY);

/** From a program that is not run in time nobody's answer is in time: it counts as a harm of all that is only noted. */
export function watchOwnTime(places, history) {
  const [EVERY_MS, LATE_MS] = [250, 1000];
  let lastMs = performance.now();
  setInterval(() => {
    const nowMs = performance.now();
    if (nowMs - lastMs > EVERY_MS + LATE_MS) {
      history.count('trialLate');
      for (const place of places)
        place.harms = [...(place.harms ?? []), { kind: 'late', fromMs: lastMs, untilMs: nowMs }];
    }
    lastMs = nowMs;
  }, EVERY_MS).unref();
}
