// The settings of a session whose words go into a file, with the list of where they were found in the end, and the wait for it.

import type { SessionClient } from '../client/voxgate-client.ts';
import type { Preset } from '../dialects/native-messages.ts';
import { type Terminal, UsageError } from './command.ts';
import { configureSession } from './configure-session.ts';
import { untilInterrupted } from './until-interrupted.ts';

/**
 * A gateway lets a text that is sent faster than it plays wait for its words, and gives up when nothing has been found for two
 * minutes; the rest is for the list of a long text.
 */
const LISTED_DEADLINE_MS = 180_000;

/**
 * Before the turn is spoken. What it answers with is called when the turn has ended whole, and resolves once all words have been
 * listed. Where they are not in time, the connection ends or the user has had enough, it complains and answers `late`: there are
 * those that were told along with the audio.
 */
export async function configureForWords(
  client: SessionClient,
  settings: Preset,
  terminal: Pick<Terminal, 'interrupted' | 'complain'>,
): Promise<() => Promise<'listed' | 'late'>> {
  const listed: Promise<'listed' | 'late'> = client
    .next('words', ({ more }) => !more)
    .then(
      () => 'listed',
      () => 'late',
    );
  try {
    await configureSession(client, { ...settings, wordList: 'final' });
  } catch (refusal) {
    if (!(refusal instanceof UsageError)) throw refusal;
    // A gateway of before does not know the list; what else it refuses, it refuses again.
    await configureSession(client, settings);
    return () => Promise.resolve('listed');
  }
  return async () => {
    const enough = AbortSignal.any([terminal.interrupted, AbortSignal.timeout(LISTED_DEADLINE_MS)]);
    if ((await Promise.race([listed, untilInterrupted(enough)])) === 'listed') return 'listed';
    terminal.complain(
      'The list of words did not come: their times are as they were told along with the audio.',
    );
    return 'late';
  };
}
