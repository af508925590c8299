// The life of the process of the embedded engine as a pure step: started, restarted after a back-off that grows while it
// does not stay alive, and ended once. Time is in the events.

export type EngineLife =
  /** `first`: it has never been ready, and the start of the gateway waits for it. */
  | { readonly is: 'starting'; readonly start: 'first' | 'again'; readonly deaths: number }
  | { readonly is: 'ready'; readonly sinceMs: number; readonly deaths: number }
  | { readonly is: 'resting'; readonly start: 'first' | 'again'; readonly deaths: number }
  | { readonly is: 'failed' }
  | { readonly is: 'stopping' }
  | { readonly is: 'stopped' };

export type EngineEvent =
  | { readonly is: 'ready' | 'died'; readonly nowMs: number }
  | { readonly is: 'overdue' | 'rested' | 'stop' };

export type EngineAct =
  | { readonly do: 'launch' | 'kill' | 'give-up-start' | 'serve' | 'refuse' | 'ask-to-stop' | 'end' }
  | { readonly do: 'rest'; readonly ms: number };

export type EngineStep = { readonly state: EngineLife; readonly acts: readonly EngineAct[] };

const FIRST_REST_MS = 100;
const MAX_REST_MS = 10_000;
/** A process that has lived this long is at first restarted soon. */
const PROVEN_MS = 30_000;
/** So many starts may fail before the first one that succeeds. */
const MAX_FIRST_DEATHS = 2;
/** Deaths in a row after which requests are refused at once instead of kept waiting. */
const HOPELESS_DEATHS = 4;

export const BORN: EngineLife = { is: 'starting', start: 'first', deaths: 0 };

/** What becomes of a connection now: `wait` until the engine is there, or `refuse`. */
export function reception(state: EngineLife): 'hand-over' | 'wait' | 'refuse' {
  if (state.is === 'ready') return 'hand-over';
  if (state.is !== 'starting' && state.is !== 'resting') return 'refuse';
  return state.deaths < HOPELESS_DEATHS ? 'wait' : 'refuse';
}

const still = (state: EngineLife): EngineStep => ({ state, acts: [] });

function afterDeath(state: Exclude<EngineLife, { is: 'failed' | 'stopping' | 'stopped' }>, nowMs: number) {
  const isProven = state.is === 'ready' && nowMs - state.sinceMs >= PROVEN_MS;
  const deaths = isProven ? 1 : state.deaths + 1;
  const start = state.is === 'ready' ? 'again' : state.start;
  if (start === 'first' && deaths > MAX_FIRST_DEATHS)
    return { state: { is: 'failed' }, acts: [{ do: 'refuse' }, { do: 'give-up-start' }] } as const;
  const ms = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** (deaths - 1));
  const refusing = deaths >= HOPELESS_DEATHS ? [{ do: 'refuse' } as const] : [];
  return { state: { is: 'resting', start, deaths }, acts: [...refusing, { do: 'rest', ms }] } as const;
}

export function stepEngineLife(state: EngineLife, event: EngineEvent): EngineStep {
  if (state.is === 'stopped' || state.is === 'failed') {
    return event.is === 'stop' ? { state: { is: 'stopped' }, acts: [{ do: 'end' }] } : still(state);
  }
  if (event.is === 'died') {
    if (state.is === 'stopping') return { state: { is: 'stopped' }, acts: [{ do: 'end' }] };
    return state.is === 'resting' ? still(state) : afterDeath(state, event.nowMs);
  }
  if (event.is === 'stop') {
    if (state.is === 'stopping') return still(state);
    if (state.is === 'resting') return { state: { is: 'stopped' }, acts: [{ do: 'refuse' }, { do: 'end' }] };
    return { state: { is: 'stopping' }, acts: [{ do: 'refuse' }, { do: 'ask-to-stop' }] };
  }
  if (event.is === 'ready' && state.is === 'starting')
    return {
      state: { is: 'ready', sinceMs: event.nowMs, deaths: state.deaths },
      acts: [{ do: 'serve' }],
    };
  if (event.is === 'rested' && state.is === 'resting')
    return {
      state: { is: 'starting', start: state.start, deaths: state.deaths },
      acts: [{ do: 'launch' }],
    };
  // Its end is reported as a death.
  if (event.is === 'overdue' && (state.is === 'starting' || state.is === 'stopping'))
    return { state, acts: [{ do: 'kill' }] };
  return still(state);
}
