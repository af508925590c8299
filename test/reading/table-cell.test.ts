import { describe, expect, it } from 'vitest';
import { withUnit } from '../../src/reading/table-cell.ts';
import { readText, textOf } from './read-fixture.ts';

describe('a cell with the name of its column', () => {
  it.each([
    ['height (m)', '55', 'height', '55 m'],
    ['area [km²]', '1,200', 'area', '1,200 km²'],
    ['speed (in km/h)', '30.5', 'speed', '30.5 km/h'],
    ['temperature (°C)', '-3', 'temperature', '-3 °C'],
    ['share (%)', '12', 'share', '12 %'],
    ['price (€)', '9', 'price', '9 €'],
    ['height (m)', 'unknown', 'height', 'unknown'],
    ['height (estimated)', '55', 'height, estimated', '55'],
    ['range (in metres)', '16.3', 'range, in metres', '16.3'],
    ['name', 'Eddystone (fourth tower)', 'name', 'Eddystone (fourth tower)'],
    ['(m)', '5', '(m)', '5'],
    ['', '5 (m)', '', '5 (m)'],
  ])('%j, %j', (name, value, saidName, said) => {
    expect(withUnit(name, value)).toEqual({ name: saidName, value: said });
  });

  it('keeps its unit in tables and in Markdown', async () => {
    const csv = await readText('tower,height (m)\nCordouan,67.5\nBell Rock,35\n', 'old_towers.csv');
    expect(csv.blocks.map(textOf)).toEqual([
      'tower: Cordouan; height: 67.5 m',
      'tower: Bell Rock; height: 35 m',
    ]);
    expect(csv.title).toBe('old towers');
    const md = await readText('| tower | height (m) |\n|---|---|\n| Cordouan | 67.5 |\n', 'a.md');
    expect(md.blocks.map(textOf)).toEqual(['tower: Cordouan; height: 67.5 m']);
  });

  it('of a table whose file has no name belongs to a title of its columns', async () => {
    expect((await readText('a,b\nx,1\n', '.csv')).title).toBe('a, b');
  });
});
