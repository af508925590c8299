// The process of a player: its line to the primary that has forked it, by which it is started, asked and ended.

import { AppError } from '../base/app-error.ts';
import { systemClock } from '../base/clock.ts';
import { helpersYieldToPlayback } from '../base/processes/yield-to-playback.ts';
import { openPrimaryLine, type PrimaryLine } from '../cluster/ipc-player-process.ts';
import type { PlayerAsks, PlayerNews, PrimaryAsks, PrimaryNews } from '../cluster/messages.ts';
import { createPeer } from '../cluster/peer.ts';
import { createTellingLog } from '../cluster/telling-log.ts';
import type { Stop } from './gateway.ts';
import { type AppPlayer, openAppPlayer, type PlayerBrief, type Primary } from './player.ts';

/** Plays for the process that has forked this one, until that says that it is over; undefined when none has. */
export function play(): Promise<void> | undefined {
  const line = openPrimaryLine();
  if (line === undefined) return undefined;
  helpersYieldToPlayback();
  return playFor(line);
}

function playFor({ line, leave }: PrimaryLine): Promise<void> {
  return new Promise((resolve) => {
    const stops: Stop[] = [];
    const stopAll = async () => {
      for (const stop of stops.splice(0).reverse()) await stop();
    };
    let parts: AppPlayer | undefined;
    const early = () => new AppError('busy', 'The process has not started yet.');
    const now = () => {
      if (parts === undefined) throw early();
      return parts;
    };
    const primary: Primary = createPeer<PrimaryAsks, PrimaryNews, PlayerAsks<PlayerBrief>, PlayerNews>({
      line,
      clock: systemClock,
      log: createTellingLog(() => primary),
      onStuck: leave,
      answers: {
        async start(brief) {
          try {
            parts = await openAppPlayer(brief, primary, (stop) => stops.push(stop));
            return parts.ports;
          } catch (fault) {
            await stopAll();
            throw fault instanceof AppError ? fault : new AppError('internal', messageOf(fault));
          }
        },
        async stop() {
          await stopAll();
          systemClock.soon(() => {
            primary.close();
            leave();
            resolve();
          });
          return null;
        },
        drain: (drainMs, signal) => now().answers.drain(drainMs, signal),
        metrics: (nothing, signal) => now().answers.metrics(nothing, signal),
        pool: (nothing, signal) => now().answers.pool(nothing, signal),
        sessions: (of, signal) => now().answers.sessions(of, signal),
        revokeToken: (token, signal) => now().answers.revokeToken(token, signal),
        dialLeg: (wanted, signal) => now().answers.dialLeg(wanted, signal),
      },
      listeners: {
        quotaChanged: (states) => parts?.listeners.quotaChanged(states),
        legGiven: (news) => parts?.listeners.legGiven(news),
        legAwaited: (ask) => parts?.listeners.legAwaited(ask),
        legRefused: (news) => parts?.listeners.legRefused(news),
        legEnded: (news) => parts?.listeners.legEnded(news),
      },
    });
    primary.tell('hello', null);
  });
}

const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
