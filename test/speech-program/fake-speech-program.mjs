// A speech program that keeps to docs/engine.md and misbehaves when the text says so. Each letter is ten samples,
// or a thousand when it is started as `long`. Each word begins with its first letter.
import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const frame = (kind, id, payload) => {
  const header = Buffer.alloc(9);
  header.write(kind, 0, 'latin1');
  header.writeUInt32LE(id, 1);
  header.writeUInt32LE(payload.length, 5);
  writeSync(1, Buffer.concat([header, payload]));
};

const [mode] = process.argv.slice(2);
if (mode === 'missing') process.exit(69);
if (mode === 'dies') process.exit(1);
if (mode === 'prints') writeSync(1, 'Welcome to the speech program!\n');
frame('R', 0, Buffer.from(JSON.stringify({ sampleRate: 16000 })));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, text, words } = JSON.parse(line);
  if (text.includes('REFUSE')) {
    frame('E', id, Buffer.from('will not say it'));
    continue;
  }
  if (text.includes('HANG')) continue;
  const perLetter = mode === 'long' ? 1000 : 10;
  const samples = text.length * perLetter;
  const pcm = Buffer.alloc(samples * 2);
  for (let i = 0; i < samples; i++) pcm.writeInt16LE((i + 1) & 0x7fff, i * 2);
  frame('?', id, Buffer.from('a kind that readers skip'));
  frame('A', id, pcm.subarray(0, 40));
  // Half of the sentence is out: now die, always or only the first time.
  if (text.includes('DIE')) process.exit(1);
  const once = /ONCE (\S+)/.exec(text)?.[1];
  if (once !== undefined && !existsSync(once)) {
    writeFileSync(once, '');
    process.exit(1);
  }
  if (words === true) {
    const rows = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => [
      (index * perLetter) / 16,
      index,
      word.length,
    ]);
    // In two parts, the first of them before the sound.
    frame('W', id, Buffer.from(text.includes('BADLY') ? '[[1,"x"]]' : JSON.stringify(rows.slice(0, 1))));
    frame('W', id, Buffer.from(JSON.stringify(rows.slice(1))));
  }
  frame('A', id, pcm.subarray(40));
  frame('D', id, Buffer.alloc(0));
}
