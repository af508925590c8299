// Settings under test: no real environment, no real files, and results unwrapped or thrown.
import { type ConfigSources, parseConfig } from '../../src/settings/config.ts';
import { type Config, SETTINGS, type SettingName, toEnv } from '../../src/settings/settings.ts';

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

type Files = Record<string, string>;

/** Parses with nothing set but what is given; `files` are contents by path. */
export const parse = (sources: Partial<Omit<ConfigSources, 'file'>> & { files?: Files } = {}) =>
  parseConfig({
    env: sources.env ?? {},
    flags: sources.flags ?? [],
    file(path) {
      const files = sources.files ?? {};
      const content = Object.hasOwn(files, path) ? files[path] : undefined;
      if (content === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return content;
    },
  });

export const accepted = (
  sources: Parameters<typeof parse>[0],
): { config: Config; warnings: readonly string[] } => {
  const result = parse(sources);
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result;
};

export const refused = (sources: Parameters<typeof parse>[0]): readonly string[] => {
  const result = parse(sources);
  return result.ok ? [] : result.problems;
};

export const parseEnv = (name: SettingName, value: string, more: Record<string, string> = {}) =>
  parse({ env: { [toEnv(name)]: value, ...more } });
