// The journals of several instances of a test, in memory: what Redis is to them.

import { AppError } from '../../src/base/app-error.ts';
import type { JournalHold, SessionJournal } from '../../src/gateway/journal/journal-writer.ts';
import { type JournalEntry, readJournal } from '../../src/gateway/journal/session-journal.ts';

type Kept = { holder: number; entries: string[] };

export type MemoryJournal = SessionJournal & {
  readonly writes: { readonly how: 'added' | 'anew' | 'beat'; readonly entry: JournalEntry | undefined }[];
  /** What happens to the next writes. */
  fate: 'written' | 'refused' | 'forgotten';
  /** How long a write takes, as a promise. */
  delay: () => Promise<void>;
};

export function createMemoryJournal(): MemoryJournal {
  const all = new Map<string, Kept>();
  let holders = 0;
  const holdOf = (session: string, holder: number): JournalHold => ({
    async write(entry, how) {
      await journal.delay();
      const read = entry === undefined ? undefined : (JSON.parse(entry) as JournalEntry);
      journal.writes.push({ how: entry === undefined ? 'beat' : how, entry: read });
      if (journal.fate === 'refused') throw new Error('away');
      if (journal.fate === 'forgotten') all.delete(session);
      const kept = all.get(session);
      if (kept !== undefined && kept.holder !== holder) return 'lost';
      if (kept === undefined && (entry === undefined || how === 'added')) return 'missing';
      const before = how === 'anew' ? [] : kept!.entries;
      all.set(session, { holder, entries: entry === undefined ? before : [...before, entry] });
      return 'written';
    },
    async release() {
      await journal.delay();
      const kept = all.get(session);
      if (kept?.holder === holder) kept.holder = 0;
    },
    drop() {
      if (all.get(session)?.holder === holder) all.delete(session);
    },
  });
  const journal: MemoryJournal = {
    writes: [],
    fate: 'written',
    delay: async () => {},
    open: (session) => holdOf(session, ++holders),
    has: async (session) => all.has(session),
    async claim(session, check) {
      const kept = all.get(session);
      const state = readJournal((kept?.entries ?? []).map((entry) => JSON.parse(entry) as JournalEntry));
      if (kept === undefined || state === undefined) return undefined;
      check(state);
      if (all.get(session) !== kept) throw new AppError('busy', 'Another one was faster.');
      const holder = ++holders;
      all.set(session, { holder, entries: kept.entries });
      return { state, hold: holdOf(session, holder) };
    },
  };
  return journal;
}
