// Whether one speech service, or one voice of it, is asked first. A pure machine: what happened and when → how it is. Faults in a row
// take it out; real requests try it, one at a time; and it is back only when it has held for as long as it has been found to hold
// before, so that one that comes and goes is not believed each time.
//
//   healthy ──fault──▶ suspect ──faults in a row──▶ out ──a request tries it──▶ proving ──held long enough──▶ healthy
//      ▲──────spoke──────┘                            ▲──────────fault─────────────┘
//
// What other processes and instances have found is a hint: `told` takes it out as long as they say so (`unsaid`), `proven` gives it one
// more chance. What was found here counts more: speech of its own undoes such a hint, and a fault of its own needs no other word.

export type HealthPhase = 'healthy' | 'suspect' | 'out' | 'proving';

export type ServiceHealth = {
  readonly phase: HealthPhase;
  /** Since when it is in this phase, ms on the clock of the events. */
  readonly sinceMs: number;
  /** In a row. */
  readonly faults: number;
  /** In a row: no speech when that of another service had come. Once is no mark. */
  readonly lates: number;
  /** When the next request may try it. */
  readonly tryAtMs: number;
  /** Between two tries while all fail. */
  readonly backOffMs: number;
  /** Tries in a row that spoke, when the last of them did, and for how long it has held so. */
  readonly proofs: number;
  readonly provedAtMs: number;
  readonly provedMs: number;
  /** How long it must hold this time. */
  readonly provingMs: number;
  /** When it was last believed again; before it ever was out: never. */
  readonly backAtMs: number;
  /** When it had last proved itself here. */
  readonly provenAtMs: number;
  /** When its speech last came here, and when it last failed here. */
  readonly spokeAtMs: number;
  readonly failedAtMs: number;
  /** Whose word it is that it is out: `others` until a request of ours goes there. */
  readonly by: 'own' | 'others';
};

export type HealthEvent = { readonly atMs: number } & (
  | {
      /** `spoke`: its speech came. `fault`: the service failed at a request. `late`: another one spoke first. `tried`: a request goes there to try it. */
      readonly kind: 'spoke' | 'fault' | 'late' | 'tried';
    }
  /** Others have it out or proving for so long; the next of them tries it in `tryInMs` (below 0: it was due so long ago). */
  | { readonly kind: 'told'; readonly forMs: number; readonly tryInMs: number }
  /** Another one found so long ago that it has held. */
  | { readonly kind: 'proven'; readonly forMs: number }
  /** No other says any more that it is out. */
  | { readonly kind: 'unsaid' }
);

export const HEALTH_PHASES: readonly HealthPhase[] = ['healthy', 'suspect', 'out', 'proving'];

const FAULTS_OUT = 3;
const LATES_SUSPECT = 2;
const LATES_OUT = 4;
const BACK_OFF = { firstMs: 5_000, maxMs: 60_000 } as const;
/** Longer than a restart takes, and than what comes and goes lasts. */
const PROVING = { firstMs: 30_000, maxMs: 300_000 } as const;
const MIN_PROOFS = 3;
const MAX_UNSEEN_MS = 15_000;
/** A service that fails again within this must hold twice as long. */
const RELAPSE_MS = 600_000;
/** Work without a listener tries first: nobody hears it fail. */
const LISTENERS_LATER_MS = 5_000;
/** Speech that came here so recently counts more than any other's word; since that word began, for as long as the second says. */
const OWN_FRESH_MS = 3_000;
const OWN_SINCE_MS = BACK_OFF.maxMs;

export const NEW_HEALTH: ServiceHealth = {
  phase: 'healthy',
  sinceMs: 0,
  faults: 0,
  lates: 0,
  tryAtMs: 0,
  backOffMs: BACK_OFF.firstMs,
  proofs: 0,
  provedAtMs: 0,
  provedMs: 0,
  provingMs: PROVING.firstMs,
  backAtMs: Number.NEGATIVE_INFINITY,
  provenAtMs: Number.NEGATIVE_INFINITY,
  spokeAtMs: Number.NEGATIVE_INFINITY,
  failedAtMs: Number.NEGATIVE_INFINITY,
  by: 'own',
};

const into = (health: ServiceHealth, phase: HealthPhase, atMs: number): ServiceHealth =>
  health.phase === phase ? health : { ...health, phase, sinceMs: atMs };

export const isAway = ({ phase }: Pick<ServiceHealth, 'phase'>): boolean =>
  phase === 'out' || phase === 'proving';

function goOut(health: ServiceHealth, atMs: number): ServiceHealth {
  const isRelapse = atMs - health.backAtMs < RELAPSE_MS;
  return {
    ...into(health, 'out', atMs),
    by: 'own',
    tryAtMs: atMs + BACK_OFF.firstMs,
    backOffMs: BACK_OFF.firstMs,
    proofs: 0,
    provingMs: isRelapse ? Math.min(PROVING.maxMs, 2 * health.provingMs) : PROVING.firstMs,
  };
}

function spoke(health: ServiceHealth, atMs: number): ServiceHealth {
  const calm: ServiceHealth = { ...health, faults: 0, lates: 0, spokeAtMs: atMs, by: 'own' };
  if (!isAway(health) || health.by === 'others') return into(calm, 'healthy', atMs);
  const proofs = health.proofs + 1;
  // Of a long silence between two tries nobody knows how it was.
  const heldMs = health.proofs === 0 ? 0 : Math.min(MAX_UNSEEN_MS, atMs - health.provedAtMs);
  const provedMs = (health.proofs === 0 ? 0 : health.provedMs) + heldMs;
  const { firstMs: backOffMs } = BACK_OFF;
  const tries = { backOffMs, tryAtMs: Math.min(health.tryAtMs, atMs + backOffMs) };
  const proving = { ...into(calm, 'proving', atMs), proofs, provedAtMs: atMs, provedMs, ...tries };
  if (proofs < MIN_PROOFS || provedMs < health.provingMs) return proving;
  return { ...into(proving, 'healthy', atMs), backAtMs: atMs, provenAtMs: atMs };
}

function fault(before: ServiceHealth, atMs: number): ServiceHealth {
  const health: ServiceHealth = { ...before, failedAtMs: atMs, by: 'own' };
  const faults = health.faults + 1;
  if (!isAway(health)) {
    const more = { ...health, faults };
    return faults >= FAULTS_OUT ? goOut(more, atMs) : into(more, 'suspect', atMs);
  }
  // It has not held: the next try waits longer. Requests that were under way when it went out tell nothing new.
  const isTry = health.phase === 'proving' || atMs >= health.tryAtMs - health.backOffMs;
  const backOffMs = isTry ? Math.min(BACK_OFF.maxMs, 2 * health.backOffMs) : health.backOffMs;
  return {
    ...into({ ...health, faults }, 'out', atMs),
    proofs: 0,
    backOffMs,
    tryAtMs: Math.max(health.tryAtMs, atMs + backOffMs),
  };
}

function late(health: ServiceHealth, atMs: number): ServiceHealth {
  if (isAway(health)) return fault(health, atMs);
  const lates = health.lates + 1;
  const more = { ...health, lates };
  if (lates >= LATES_OUT) return goOut({ ...more, failedAtMs: atMs }, atMs);
  return lates >= LATES_SUSPECT ? into(more, 'suspect', atMs) : more;
}

function told(health: ServiceHealth, forMs: number, tryInMs: number, atMs: number): ServiceHealth {
  const tryAtMs = atMs + Math.min(BACK_OFF.maxMs, tryInMs);
  if (isAway(health)) return health.by === 'own' ? health : { ...health, tryAtMs };
  const spokeSince = health.spokeAtMs > atMs - forMs;
  if (atMs - health.spokeAtMs <= (spokeSince ? OWN_SINCE_MS : OWN_FRESH_MS)) return health;
  return { ...goOut(health, atMs), tryAtMs, by: 'others' };
}

function proven(health: ServiceHealth, forMs: number, atMs: number): ServiceHealth {
  if (!isAway(health)) return health;
  if (health.by === 'others') return { ...into(health, 'healthy', atMs), backAtMs: atMs, by: 'own' };
  if (health.failedAtMs >= atMs - forMs) return health;
  // One more fault of its own, and it is out again.
  const faults = FAULTS_OUT - 1;
  return { ...into(health, 'suspect', atMs), faults, lates: 0, proofs: 0, backAtMs: atMs };
}

export function step(health: ServiceHealth, event: HealthEvent): ServiceHealth {
  const { kind, atMs } = event;
  if (kind === 'spoke') return spoke(health, atMs);
  if (kind === 'fault') return fault(health, atMs);
  if (kind === 'late') return late(health, atMs);
  if (kind === 'told') return told(health, event.forMs, event.tryInMs, atMs);
  if (kind === 'proven') return proven(health, event.forMs, atMs);
  if (kind === 'unsaid')
    return isAway(health) && health.by === 'others'
      ? { ...into(health, 'healthy', atMs), by: 'own' }
      : health;
  return isAway(health) ? { ...health, tryAtMs: atMs + health.backOffMs, by: 'own' } : health;
}

/** Where it stands among those that may say a turn: `try`: first, to find out how it is. */
export function standing(
  health: ServiceHealth,
  reader: 'listener' | 'nobody',
  nowMs: number,
): 'in-order' | 'try' | 'last' {
  if (!isAway(health)) return 'in-order';
  return nowMs >= dueAtMs(health, reader) ? 'try' : 'last';
}

/** When a request may try one that is away. */
export const dueAtMs = ({ tryAtMs }: ServiceHealth, reader: 'listener' | 'nobody'): number =>
  tryAtMs + (reader === 'listener' ? LISTENERS_LATER_MS : 0);
