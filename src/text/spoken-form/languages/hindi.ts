// Hindi as it is said: years before 2000 in hundreds, "9 बजकर 30 मिनट", lakh and crore.

import type { CalendarDate, Grammar } from '../grammar.ts';
import { rule } from '../rule.ts';
import { oneOrMore } from '../written-number.ts';

const MONTHS =
  'जनवरी फ़रवरी|फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर|सितम्बर अक्टूबर|अक्तूबर नवंबर|नवम्बर दिसंबर|दिसम्बर'.split(' ');
const ORDINALS: Readonly<Record<number, string>> = { 1: 'पहल', 2: 'दूसर', 3: 'तीसर', 4: 'चौथ', 6: 'छठ' };

function sayYear(year: number): string {
  if (year < 1100 || year > 1999) return String(year);
  const rest = year % 100;
  return `${Math.floor(year / 100)} सौ${rest === 0 ? '' : ` ${rest}`}`;
}

const sayDate = ({ day, month, year }: CalendarDate) =>
  `${day} ${MONTHS[month - 1]!.split('|')[0]!}${year === undefined ? '' : ` ${sayYear(year)}`}`;

export const hindi: Grammar = {
  decimal: '.',
  groups: ',',
  plural: oneOrMore,
  space: ' ',
  words: {
    at: 'ऐट',
    dot: 'डॉट',
    slash: 'स्लैश',
    per: 'प्रति',
    dash: 'डैश',
    underscore: 'अंडरस्कोर',
    point: 'पॉइंट',
    version: 'संस्करण',
    hashtag: 'हैशटैग',
    number: 'नंबर',
    section: 'धारा',
    copyright: 'कॉपीराइट',
    and: 'और',
    plus: 'प्लस',
    minus: 'माइनस',
    equals: 'बराबर',
    times: 'गुणा',
    dividedBy: 'भाग',
    plusMinus: 'प्लस माइनस',
    about: 'लगभग',
    lessThan: 'से कम',
    greaterThan: 'से ज़्यादा',
    to: 'से',
  },
  money: {
    nouns: {
      INR: ['रुपया|रुपये', 'पैसा|पैसे'],
      USD: ['डॉलर', 'सेंट'],
      EUR: ['यूरो', 'सेंट'],
      GBP: ['पाउंड', 'पेंस'],
      JPY: ['येन'],
      CNY: ['युआन'],
      RUB: ['रूबल'],
      PKR: ['पाकिस्तानी रुपया|पाकिस्तानी रुपये'],
      BDT: ['टका'],
      AED: ['दिरहम'],
      CHF: ['स्विस फ़्रैंक'],
      KRW: ['वॉन'],
    },
    signs: { Rs: 'INR', 'Rs.': 'INR', 'रु.': 'INR', रु: 'INR' },
    thousands: { हज़ार: 'हज़ार', हजार: 'हज़ार' },
    millions: { लाख: 'लाख', करोड़: 'करोड़', अरब: 'अरब', मिलियन: 'मिलियन', बिलियन: 'बिलियन' },
    say: (units, hundredths) => `${units} ${hundredths}`,
  },
  units: {
    '%': 'प्रतिशत',
    '‰': 'प्रति हज़ार',
    km: 'किलोमीटर',
    किमी: 'किलोमीटर',
    'कि.मी.': 'किलोमीटर',
    m: 'मीटर',
    मी: 'मीटर',
    cm: 'सेंटीमीटर',
    सेमी: 'सेंटीमीटर',
    mm: 'मिलीमीटर',
    मिमी: 'मिलीमीटर',
    'km²': 'वर्ग किलोमीटर',
    'm²': 'वर्ग मीटर',
    'm³': 'घन मीटर',
    kg: 'किलोग्राम',
    किग्रा: 'किलोग्राम',
    'कि.ग्रा.': 'किलोग्राम',
    g: 'ग्राम',
    ग्रा: 'ग्राम',
    mg: 'मिलीग्राम',
    t: 'टन',
    l: 'लीटर',
    L: 'लीटर',
    ml: 'मिलीलीटर',
    mL: 'मिलीलीटर',
    मिली: 'मिलीलीटर',
    '°C': 'डिग्री सेल्सियस',
    '°F': 'डिग्री फ़ारेनहाइट',
    '°': 'डिग्री',
    'km/h': 'किलोमीटर प्रति घंटा',
    'किमी/घंटा': 'किलोमीटर प्रति घंटा',
    'm/s': 'मीटर प्रति सेकंड',
    W: 'वॉट',
    kW: 'किलोवॉट',
    kWh: 'किलोवॉट घंटा|किलोवॉट घंटे',
    V: 'वोल्ट',
    Hz: 'हर्ट्ज़',
    MHz: 'मेगाहर्ट्ज़',
    GHz: 'गीगाहर्ट्ज़',
    KB: 'किलोबाइट',
    MB: 'मेगाबाइट',
    GB: 'गीगाबाइट',
    TB: 'टेराबाइट',
    Mbps: 'मेगाबिट प्रति सेकंड',
    h: 'घंटा|घंटे',
    min: 'मिनट',
    ms: 'मिलीसेकंड',
  },
  fractions: { '1/2': 'आधा', '1/3': 'एक तिहाई', '2/3': 'दो तिहाई', '1/4': 'एक चौथाई', '3/4': 'तीन चौथाई' },
  dates: {
    order: 'day-first',
    months: MONTHS,
    daySuffix: '',
    beforeMonth: '[ \\u00a0]',
    beforeYear: ',?[ \\u00a0]',
    say: sayDate,
  },
  times: {
    mark: ':',
    tail: '[ \\u00a0]बजे',
    say: ({ hour, minute, second }) => {
      const seconds = second === undefined ? '' : ` ${second} सेकंड`;
      return minute === 0 && second === undefined ? `${hour} बजे` : `${hour} बजकर ${minute} मिनट${seconds}`;
    },
  },
  rules: [
    rule(
      'digit',
      '(\\d{1,4})(?:-)?(ला|रा|था|ठा|वां|वाँ|ली|री|थी|ठी|वीं|वें|ले|रे|थे)(?![\\p{L}\\p{M}])',
      ([, value, suffix = '']) => {
        const stem = ORDINALS[Number(value)];
        if (stem === undefined) return `${value}${suffix}`;
        return `${stem}${suffix.endsWith('ी') || suffix === 'वीं' ? 'ी' : suffix.endsWith('े') || suffix === 'वें' ? 'े' : 'ा'}`;
      },
    ),
    // A year is known by the word before or behind it.
    rule('digit', '(1[1-9]\\d{2})(?![\\d.,:/%-]\\d|\\p{L})', ([, year], before) =>
      /(?:सन्|सन|साल|वर्ष|जनवरी|मार्च|मई|जून|अगस्त|अप्रैल|जुलाई) $/.test(before) ? sayYear(Number(year)) : undefined,
    ),
    rule('digit', '(1[1-9]\\d{2})(?= (?:में|ई\\.))', ([, year]) => sayYear(Number(year))),
    rule('letter', 'डॉ\\.', () => 'डॉक्टर'),
    rule('letter', 'श्री\\.', () => 'श्री'),
  ],
};
