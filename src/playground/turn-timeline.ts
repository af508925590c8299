// What happened to one turn, and when, as a pure machine: an event and its time → the next timeline. Times are
// milliseconds since the turn was named; those of the first byte are the gateway's own account. Places in the turn's audio
// are another clock, and are called so.

import type { Outcome, ServerEvent } from '../dialects/native-events.ts';

export const MARKS = [
  'named',
  'queued',
  'first-byte',
  'first-audio',
  'audible',
  'underrun',
  'paused',
  'resumed',
  'sought',
  'error',
  'interrupted',
  'ended',
  'heard',
] as const;
export type MarkName = (typeof MARKS)[number];
export type Mark = { readonly name: MarkName; readonly atMs: number; readonly detail: string };

export type TurnTimeline = {
  readonly turn: string;
  readonly namedAtMs: number;
  readonly phase: 'waiting' | 'playing' | 'ended' | 'finished';
  /** In the order of their times. */
  readonly marks: readonly Mark[];
  /** Times that the listener ran dry: by this page's account or the gateway's, whichever saw more. */
  readonly underruns: number;
  readonly driedHere: number;
  readonly driedThere: number;
  readonly firstAudioMs: number | undefined;
  readonly outcome: Outcome | undefined;
  readonly requests: number | undefined;
  readonly audioMs: number | undefined;
  readonly heard: { readonly spokenText: string; readonly remainingText: string } | undefined;
};

export type TimelineEvent =
  | ServerEvent
  /** Of narration. */
  | { readonly type: 'paused' | 'resumed' | 'sought'; readonly turn: string; readonly atMs: number }
  /** The first binary frame of the turn has come. */
  | { readonly type: 'first-frame' }
  /** Its first sample has gone to the sound card. */
  | { readonly type: 'audible' }
  /** The audio thread ran dry. */
  | { readonly type: 'ran-dry' }
  | { readonly type: 'interrupted'; readonly playedMs: number };

export const nameTurn = (turn: string, nowMs: number): TurnTimeline => ({
  turn,
  namedAtMs: nowMs,
  phase: 'waiting',
  marks: [{ name: 'named', atMs: 0, detail: '' }],
  underruns: 0,
  driedHere: 0,
  driedThere: 0,
  firstAudioMs: undefined,
  outcome: undefined,
  requests: undefined,
  audioMs: undefined,
  heard: undefined,
});

const REASONS = {
  quota: 'waits for quota',
  busy: 'the service is busy',
  'previous-turn': 'behind another turn',
};
/** A place in the audio, which does not move while nothing is heard. */
const ofAudio = (ms: number) => `${seconds(ms)} of its audio`;
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;

/** `mark` in its place: the gateway tells of the first byte when more has happened here already. */
function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  const at = marks.findLastIndex((other) => other.atMs <= mark.atMs) + 1;
  return marks.toSpliced(at, 0, mark);
}

/** One mark for all of them, where the first was; a bad line would else fill the page. */
function runDry(timeline: TurnTimeline, atMs: number): TurnTimeline {
  const { driedHere, driedThere, marks } = timeline;
  const first = marks.find(({ name }) => name === 'underrun');
  const detail = `${driedThere} by the gateway’s account, ${driedHere} here, the last after ${seconds(atMs)}`;
  const mark: Mark = { name: 'underrun', atMs: first?.atMs ?? atMs, detail };
  return {
    ...timeline,
    underruns: Math.max(driedHere, driedThere),
    marks: withMark(
      marks.filter(({ name }) => name !== 'underrun'),
      mark,
    ),
  };
}

export function step(timeline: TurnTimeline, event: TimelineEvent, nowMs: number): TurnTimeline {
  const atMs = nowMs - timeline.namedAtMs;
  const mark = (name: MarkName, detail = '', when = atMs) =>
    withMark(timeline.marks, { name, atMs: Math.max(0, when), detail });
  switch (event.type) {
    case 'queued': {
      const behind = event.position > 0 ? `, place ${event.position}` : '';
      const eta = event.etaMs > 0 ? `, about ${seconds(event.etaMs)}` : '';
      // Repeated while it lasts: the last word counts, from the first time on.
      const first = timeline.marks.find(({ name }) => name === 'queued');
      const queued = {
        name: 'queued' as const,
        atMs: first?.atMs ?? atMs,
        detail: `${REASONS[event.reason]}${behind}${eta}`,
      };
      return {
        ...timeline,
        marks: withMark(
          timeline.marks.filter(({ name }) => name !== 'queued'),
          queued,
        ),
      };
    }
    case 'started': {
      const { queueMs, upstreamTtfbMs } = event.timings;
      const detail = `${Math.round(upstreamTtfbMs)} ms of ${event.upstream ?? 'the speech service'}`;
      const marks = mark('first-byte', detail, Math.min(atMs, queueMs + upstreamTtfbMs));
      return { ...timeline, phase: 'playing', marks };
    }
    case 'first-frame':
      if (timeline.firstAudioMs !== undefined) return timeline;
      return { ...timeline, firstAudioMs: atMs, marks: mark('first-audio') };
    case 'audible':
      if (timeline.marks.some(({ name }) => name === 'audible')) return timeline;
      return { ...timeline, marks: mark('audible') };
    case 'underrun':
      return runDry({ ...timeline, driedThere: timeline.driedThere + 1 }, atMs);
    case 'ran-dry':
      return runDry({ ...timeline, driedHere: timeline.driedHere + 1 }, atMs);
    case 'paused':
    case 'resumed':
    case 'sought':
      return { ...timeline, marks: mark(event.type, `after ${ofAudio(event.atMs)}`) };
    case 'interrupted':
      return { ...timeline, marks: mark('interrupted', `after ${ofAudio(event.playedMs)}`) };
    case 'error':
      return { ...timeline, marks: mark('error', event.message) };
    case 'ended': {
      const { outcome, audioMs, requests, resumes, cached } = event;
      const resumed = resumes > 0 ? `, ${counted(resumes, 'resume')}` : '';
      const detail = cached
        ? `${outcome}, kept speech`
        : `${outcome}, ${counted(requests, 'request')}${resumed}`;
      // Without a `started` there will be no `heard`.
      const phase =
        timeline.phase === 'waiting' ? 'finished' : timeline.phase === 'playing' ? 'ended' : timeline.phase;
      return { ...timeline, phase, outcome, requests, audioMs, marks: mark('ended', detail) };
    }
    case 'heard': {
      const { spokenText, remainingText, playedMs, playedBy } = event;
      const by = { client: 'as this page told', mark: 'by marks', clock: 'by the gateway’s clock' }[playedBy];
      return {
        ...timeline,
        phase: 'finished',
        heard: { spokenText, remainingText },
        marks: mark('heard', `${ofAudio(playedMs)}, ${by}`),
      };
    }
    default:
      return timeline;
  }
}
