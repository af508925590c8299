// Whether one speech service, or one voice of it, is asked first. A pure machine: what happened and when → how it is. Faults in a row
// take it out; real requests try it, one at a time; and it is back only when it has held for as long as it has been found to hold
// before, so that one that comes and goes is not believed each time.
//
//   healthy ──fault──▶ suspect ──faults in a row──▶ out ──a request tries it──▶ proving ──held long enough──▶ healthy
//      ▲──────spoke──────┘                            ▲──────────fault─────────────┘

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
};

export type HealthEvent = {
  /** `spoke`: its speech came. `fault`: the service failed at a request. `late`: another one spoke first. `tried`: a request goes there to try it. */
  readonly kind: 'spoke' | 'fault' | 'late' | 'tried';
  readonly atMs: number;
};

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
};

const into = (health: ServiceHealth, phase: HealthPhase, atMs: number): ServiceHealth =>
  health.phase === phase ? health : { ...health, phase, sinceMs: atMs };

const isAway = ({ phase }: ServiceHealth): boolean => phase === 'out' || phase === 'proving';

function goOut(health: ServiceHealth, atMs: number): ServiceHealth {
  const isRelapse = atMs - health.backAtMs < RELAPSE_MS;
  return {
    ...into(health, 'out', atMs),
    tryAtMs: atMs + BACK_OFF.firstMs,
    backOffMs: BACK_OFF.firstMs,
    proofs: 0,
    provingMs: isRelapse ? Math.min(PROVING.maxMs, 2 * health.provingMs) : PROVING.firstMs,
  };
}

function spoke(health: ServiceHealth, atMs: number): ServiceHealth {
  const calm = { ...health, faults: 0, lates: 0 };
  if (!isAway(health)) return into(calm, 'healthy', atMs);
  const proofs = health.proofs + 1;
  // Of a long silence between two tries nobody knows how it was.
  const heldMs = health.proofs === 0 ? 0 : Math.min(MAX_UNSEEN_MS, atMs - health.provedAtMs);
  const provedMs = (health.proofs === 0 ? 0 : health.provedMs) + heldMs;
  const { firstMs: backOffMs } = BACK_OFF;
  const tries = { backOffMs, tryAtMs: Math.min(health.tryAtMs, atMs + backOffMs) };
  const proving = { ...into(calm, 'proving', atMs), proofs, provedAtMs: atMs, provedMs, ...tries };
  if (proofs < MIN_PROOFS || provedMs < health.provingMs) return proving;
  return { ...into(proving, 'healthy', atMs), backAtMs: atMs };
}

function fault(health: ServiceHealth, atMs: number): ServiceHealth {
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
  if (lates >= LATES_OUT) return goOut(more, atMs);
  return lates >= LATES_SUSPECT ? into(more, 'suspect', atMs) : more;
}

export function step(health: ServiceHealth, { kind, atMs }: HealthEvent): ServiceHealth {
  if (kind === 'spoke') return spoke(health, atMs);
  if (kind === 'fault') return fault(health, atMs);
  if (kind === 'late') return late(health, atMs);
  return isAway(health) ? { ...health, tryAtMs: atMs + health.backOffMs } : health;
}

/** Where it stands among those that may say a turn: `try`: first, to find out how it is. */
export function standing(
  health: ServiceHealth,
  reader: 'listener' | 'nobody',
  nowMs: number,
): 'in-order' | 'try' | 'last' {
  if (!isAway(health)) return 'in-order';
  const fromMs = health.tryAtMs + (reader === 'listener' ? LISTENERS_LATER_MS : 0);
  return nowMs >= fromMs ? 'try' : 'last';
}
