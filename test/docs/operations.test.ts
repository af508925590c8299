// docs/operations.md against a scrape of a gateway in which everything has happened once, and against the settings.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS, toEnv } from '../../src/settings/settings.ts';
import { spoken, startRunningGateway } from '../support/running-gateway.ts';
import { audio, status } from '../support/scripted-upstream.ts';

const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const table = page.slice(page.indexOf('## Metrics'), page.indexOf('## The admin listener'));

describe('docs/operations.md', () => {
  it('names every metric of a scrape and no other', async () => {
    const gateway = await startRunningGateway({ script: [status(500), audio(spoken())] });
    const probe = await gateway.session('pace=burst');
    expect(await probe.speaks('a')).toMatchObject({ outcome: 'complete' });
    probe.socket.close();
    await probe.closed;
    const scrape = await (await fetch(`${gateway.url}/metrics`)).text();
    await gateway.close();
    const scraped = [...scrape.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1]);
    const told = [
      ...table.matchAll(/^\| (`(?:voxgate|process|nodejs)_[a-z_]+`(?:, `[a-z_]+`)*) \|/gm),
    ].flatMap(([, names]) => [...names!.matchAll(/[a-z_]+/g)].map(([name]) => name));
    expect(new Set(told)).toEqual(new Set(scraped));
    expect(told.length).toBe(scraped.length);
  });

  it('names only settings and pages that there are', () => {
    const names = new Set(Object.keys(SETTINGS).map(toEnv));
    for (const [name] of page.matchAll(/VOXGATE_[A-Z_]+/g)) expect(names).toContain(name);
    for (const [, file] of page.matchAll(/\]\(([a-z-]+\.md)/g)) {
      expect(readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8').length).toBeGreaterThan(0);
    }
  });
});
