// What is shown of a running session: ids, counts and formats, never a word of it.

import type { LiveSession, TurnTally } from '../../session/live-sessions.ts';
import type { SessionFormat } from '../../speech/audio-format.ts';

export type LiveView = {
  readonly id: string;
  /** The user that it belongs to. */
  readonly tenant: string;
  readonly dialect: string;
  readonly ageMs: number;
  readonly turnsUnheard: number;
  readonly turnsEnded: TurnTally;
  readonly bufferedBytes: number;
  readonly format: SessionFormat;
  readonly sampleRate?: number | undefined;
  readonly onlookers: number;
  readonly leg?: { readonly id: string; readonly kind: string; readonly callSid?: string };
  /** The process that plays it, where there are several. */
  readonly process?: number;
  /** The instance that has it, where that is another than the one that was asked. */
  readonly instance?: string;
};

/** Of one user, or of all. */
export const viewsOf = (
  sessions: Iterable<LiveSession>,
  userId: string | undefined,
  nowMs: number,
): readonly LiveView[] =>
  [...sessions]
    .filter((live) => userId === undefined || live.userId === userId)
    .map((live) => viewOf(live, nowMs));

function viewOf(live: LiveSession, nowMs: number): LiveView {
  const { id, userId: tenant, dialect, openedAtMs, session } = live;
  const leg = session.leg();
  return {
    id,
    tenant,
    dialect,
    ageMs: Math.round(nowMs - openedAtMs),
    turnsUnheard: live.turnsUnheard(),
    turnsEnded: { ...live.turnsEnded },
    bufferedBytes: live.bufferedBytes(),
    ...session.sound(),
    onlookers: session.audience.onlookers(),
    ...(leg !== undefined && {
      leg: { id: leg.leg, kind: leg.kind, ...(leg.callSid !== undefined && { callSid: leg.callSid }) },
    }),
  };
}
