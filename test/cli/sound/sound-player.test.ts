// Players of fake programs in a folder of their own: which is taken, what each is given, and how it ends.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { wavHeader } from '../../../src/audio/containers/wav.ts';
import { createListener } from '../../../src/cli/sound/listener.ts';
import { findPlayer, PLAYERS } from '../../../src/cli/sound/players.ts';
import { createSampleReader } from '../../../src/cli/sound/samples-of.ts';
import { startSoundPlayer } from '../../../src/cli/sound/sound-player.ts';
import { createFakeTerminal } from '../../support/fake-terminal.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const folder = scratchFolder('players');
const bin = join(folder, 'bin');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin);
});

/** A program that is called `name`; what it does is a line of shell. */
function install(name: string, line: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`);
  chmodSync(join(bin, name), 0o755);
}
const heardFile = join(folder, 'heard');
const argsFile = join(folder, 'args');
/** Keeps what it is given to play, and how it was called. */
const RECORDS = `echo "$@" > ${argsFile}; exec cat > ${heardFile}`;
const env = { PATH: process.env.PATH };
const start = (name: string, sampleRate = 24_000) => {
  const player = findPlayer(bin);
  expect(player?.program).toBe(name);
  return startSoundPlayer(player!, sampleRate, env);
};
const SAMPLES = Buffer.from(Int16Array.from({ length: 2400 }, (_, n) => n * 7).buffer);

describe('the table of players', () => {
  it('is looked through in its order, in the folders of PATH', () => {
    expect(findPlayer(bin)).toBeUndefined();
    expect(findPlayer(undefined)).toBeUndefined();
    writeFileSync(join(bin, 'ffplay'), 'not a program');
    mkdirSync(join(bin, 'mpv'));
    for (const name of ['play', 'aplay']) install(name, ':');
    expect(findPlayer(`/nowhere:${bin}`)).toMatchObject({ program: 'aplay', path: join(bin, 'aplay') });
  });

  it.each(PLAYERS.filter(({ takes }) => takes === 'pipe').map(({ program }) => program))(
    '%s is told the rate, and given the samples',
    async (program) => {
      install(program, RECORDS);
      const player = start(program, 16_000);
      player.write(SAMPLES.subarray(0, 1000));
      player.write(SAMPLES.subarray(1000));
      await player.finish();
      expect(readFileSync(heardFile)).toEqual(SAMPLES);
      expect(readFileSync(argsFile, 'utf8')).toMatch(/\b16000\b/);
      expect(player.fault()).toBeUndefined();
    },
  );

  it('afplay is given a file, which is gone afterwards', async () => {
    install('afplay', `echo "$@" > ${argsFile}; cp "$1" ${heardFile}`);
    const player = start('afplay');
    player.write(SAMPLES);
    await player.finish();
    const header = wavHeader({ sampleRate: 24_000, channels: 1, dataBytes: SAMPLES.length });
    expect(readFileSync(heardFile)).toEqual(Buffer.concat([header, SAMPLES]));
    expect(existsSync(readFileSync(argsFile, 'utf8').trim())).toBe(false);
  });
});

describe('a player', () => {
  it('that fails says why', async () => {
    install('aplay', 'echo "aplay: main:1: audio open error: No such file" >&2; exit 1');
    const player = start('aplay');
    player.write(SAMPLES);
    await player.finish();
    expect(player.fault()).toBe('aplay could not play: aplay: main:1: audio open error: No such file');
  });

  it('that says nothing has its code told; one that cannot be started, the reason', async () => {
    install('aplay', 'exit 3');
    const silent = start('aplay');
    await silent.finish();
    expect(silent.fault()).toBe('aplay could not play: it ended with 3');
    writeFileSync(join(bin, 'aplay'), '#!/nowhere/shell\n');
    const broken = start('aplay');
    await broken.finish();
    expect(broken.fault()).toMatch(/^aplay could not play: .*ENOENT/);
  });

  it.each(['aplay', 'afplay'])('%s stops at once, whatever it would still play', async (program) => {
    install(program, `trap "" TERM INT; touch ${heardFile}; sleep 100 & wait`);
    rmSync(heardFile, { force: true });
    const player = start(program);
    player.write(SAMPLES);
    const over = player.finish();
    await expect.poll(() => existsSync(heardFile)).toBe(true);
    player.stop();
    await over;
    expect(player.fault()).toBeUndefined();
  });

  it('is waited for as long as what it was given lasts, though it took all of it at once', async () => {
    // Seven seconds of silence, played for more than five: that is more than is allowed beyond the length of the sound.
    install('aplay', 'cat > /dev/null; sleep 5.4');
    const player = start('aplay', 8000);
    player.write(new Uint8Array(7 * 16_000));
    await player.finish();
    expect(player.fault()).toBeUndefined();
  }, 20_000);

  it('tells how much of it has been played: what came late is played late', () => {
    install('aplay', 'exec cat > /dev/null');
    let now = 1000;
    const player = startSoundPlayer(findPlayer(bin)!, 8000, env, () => now);
    const second = new Uint8Array(16_000);
    expect(player.playedMs()).toBe(0);
    player.write(second);
    player.write(second);
    now += 500;
    expect(player.playedMs()).toBe(500);
    now += 10_000;
    expect(player.playedMs()).toBe(2000);
    player.write(second);
    now += 250;
    expect(player.playedMs()).toBe(2250);
    player.stop();
  });

  it('from a file that is stopped before it plays never does', async () => {
    install('afplay', `touch ${heardFile}`);
    rmSync(heardFile, { force: true });
    const player = start('afplay');
    player.write(SAMPLES);
    player.stop();
    await player.finish();
    expect(existsSync(heardFile)).toBe(false);
    expect(readdirSync(bin)).toEqual(['afplay']);
  });
});

describe('samples of what a session sends', () => {
  it('are the bytes of raw, those behind the header of a WAV, and what µ-law and A-law stand for', () => {
    const header = Buffer.from(wavHeader({ sampleRate: 8000, channels: 1 }));
    const read = createSampleReader('wav');
    const parts = [header.subarray(0, 20), Buffer.concat([header.subarray(20), SAMPLES])].map(read);
    expect(Buffer.concat(parts)).toEqual(SAMPLES);
    expect(createSampleReader('raw')(SAMPLES)).toEqual(SAMPLES);
    // ITU-T G.711: the loudest of either, and silence.
    const values = (format: 'mulaw' | 'alaw', bytes: number[]) => {
      const samples = Buffer.from(createSampleReader(format)(Uint8Array.from(bytes)));
      return bytes.map((_, at) => samples.readInt16LE(at * 2));
    };
    expect(values('mulaw', [0x00, 0x80, 0xff])).toEqual([-32_124, 32_124, 0]);
    expect(values('alaw', [0x2a, 0xaa, 0xd5])).toEqual([-32_256, 32_256, 8]);
  });
});

describe('whoever sits at a terminal', () => {
  const listen = (settings: Parameters<typeof createListener>[1]) => {
    const terminal = { ...createFakeTerminal([]), env: { PATH: `${bin}:/usr/bin:/bin`.split(':')[0]! } };
    return { listener: createListener(terminal, settings), complaints: terminal.complaints };
  };

  it('is told that nothing is heard where there is no player, or it is no format to be played', () => {
    expect(listen({})).toMatchObject({
      listener: undefined,
      complaints: [
        'No player was found (looked for ffplay, mpv, aplay, play, sox, afplay), so nothing is heard; install one, or keep the sound with --out hello.wav. With --no-play this is not said.',
      ],
    });
    expect(listen({ format: 'mp3' })).toMatchObject({
      listener: undefined,
      complaints: [
        'mp3 is not played here, so nothing is heard; allowed: raw, wav, mulaw, alaw, or --out with a file',
      ],
    });
  });

  it('hears what the engine makes, or what was asked for', () => {
    install('aplay', 'exec /bin/cat > /dev/null');
    const settingsOf = (settings: Parameters<typeof createListener>[1]) => {
      const { listener } = listen(settings);
      listener!.stop();
      return listener!.settings;
    };
    expect(settingsOf({ pace: 'realtime' })).toEqual({
      pace: 'realtime',
      format: 'raw',
      sampleRate: 24_000,
      leadMs: 500,
    });
    expect(settingsOf({ format: 'mulaw' })).toMatchObject({ format: 'mulaw', sampleRate: 8000 });
    expect(settingsOf({ format: 'wav', sampleRate: 48_000 })).toMatchObject({ sampleRate: 48_000 });
    rmSync(join(bin, 'aplay'));
    install('afplay', ':');
    expect(settingsOf({ pace: 'realtime' })).toMatchObject({ pace: 'burst' });
  });
});
