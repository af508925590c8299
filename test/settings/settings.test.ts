// The table of settings: its names, and what is written about it for people.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nearestName } from '../../src/base/shown-value.ts';
import {
  SETTINGS,
  type SettingName,
  settingsHelp,
  shownDefault,
  toEnv,
  toFlag,
} from '../../src/settings/settings.ts';
import { SETTING_NAMES } from '../support/settings.ts';

describe('names', () => {
  it('follow from one another', () => {
    expect([toEnv('voice2'), toEnv('maxConnectionsPerUser')]).toEqual([
      'VOXGATE_VOICE2',
      'VOXGATE_MAX_CONNECTIONS_PER_USER',
    ]);
    expect(toFlag('upstreamKeysFile')).toBe('--upstream-keys-file');
  });

  it('suggest only what is near', () => {
    expect(nearestName('adress', ['address', 'port'])).toBe('address');
    expect(nearestName('prot', ['port', 'host'])).toBe('port');
    expect(nearestName('x', ['port'])).toBeUndefined();
    expect(nearestName('anything', [])).toBeUndefined();
    expect(nearestName('y'.repeat(100_000), ['port'])).toBeUndefined();
  });
});

describe('what is written about the settings', () => {
  const byDefault = (name: SettingName) => {
    const shown = shownDefault(SETTINGS[name]);
    return shown === 'empty' ? '–' : `\`${shown}\``;
  };
  const row = (name: SettingName) =>
    `| \`${toEnv(name)}\` | ${byDefault(name)} | ${SETTINGS[name].allowed} | ${SETTINGS[name].meaning} |`;
  const full = [
    '| Variable | Default | Allowed | Meaning |',
    '| --- | --- | --- | --- |',
    ...SETTING_NAMES.map(row),
  ];
  // `npx vitest run test/settings/settings.test.ts -u` writes the table anew.
  it('docs/configuration.md holds exactly this table', async () => {
    const path = resolve(import.meta.dirname, '../../docs/configuration.md');
    const [start, end] = ['<!-- settings -->\n', '<!-- /settings -->'];
    const page = readFileSync(path, 'utf8');
    const wanted = `${page.slice(0, page.indexOf(start) + start.length)}${full.join('\n')}\n${page.slice(page.indexOf(end))}`;
    expect(page).toContain(end);
    await expect(wanted).toMatchFileSnapshot(path);
  });

  it('the page names no variable that does not exist', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
    const known = new Set(SETTING_NAMES.map(toEnv));
    const named = [...page.matchAll(/`(VOXGATE_[A-Z0-9_]+)/g)].map((match) => match[1]!);
    expect(named.filter((name) => !known.has(name) && !/_(SERVICE|PORT)_$/.test(name))).toEqual([]);
  });

  it('--help names every flag once, and every line fits a table', () => {
    const help = settingsHelp();
    for (const name of SETTING_NAMES) {
      expect(help.split(`  ${toFlag(name)} `)).toHaveLength(2);
      expect(SETTINGS[name].meaning).toMatch(/^[^|\n]{20,160}\.$/);
    }
  });
});
