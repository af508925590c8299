// The voices of Debian's flite and festival packages that we can use, and what each of them needs to be told.

import { existsSync, readdirSync } from 'node:fs';

const FLITE = {
  engine: 'flite',
  language: 'english',
  charset: 'ascii',
  packages: ['libflite1', 'flite1-dev', 'gcc'],
};
const VOICES_FOLDER = '/usr/share/festival/voices';

const festival = (voice, language, charset, packages, more = {}) => ({
  engine: 'festival',
  voice,
  language,
  charset,
  packages: ['festival', ...packages],
  ...more,
});

/**
 * `charset` is the only one in which the voice reads, `packages` are Debian's (all in main). `setup` is Scheme for
 * after the voice was chosen, `needs` a file that apt does not bring with the voice.
 */
const FOREIGN_VOICES = [
  { ...FLITE, voice: 'kal' },
  { ...FLITE, voice: 'kal16' },
  { ...FLITE, voice: 'awb' },
  { ...FLITE, voice: 'rms' },
  { ...FLITE, voice: 'slt' },
  festival('kal_diphone', 'english', 'ascii', ['festvox-kallpc16k']),
  festival('ked_diphone', 'english', 'ascii', ['festvox-kdlpc16k']),
  festival('cmu_us_slt_arctic_hts', 'english', 'ascii', ['festvox-us-slt-hts']),
  festival('pc_diphone', 'italian', 'iso-8859-1', ['festvox-itapc16k']),
  festival('lp_diphone', 'italian', 'iso-8859-1', ['festvox-italp16k']),
  festival('suo_fi_lj_diphone', 'finnish', 'iso-8859-1', ['festvox-suopuhe-lj']),
  festival('hy_fi_mv_diphone', 'finnish', 'iso-8859-1', ['festvox-suopuhe-mv']),
  festival('czech_ph', 'czech', 'iso-8859-2', ['festvox-czech-ph']),
  festival('czech_dita', 'czech', 'iso-8859-2', ['festvox-czech-dita']),
  festival('czech_machac', 'czech', 'iso-8859-2', ['festvox-czech-machac']),
  festival('upc_ca_ona_hts', 'catalan', 'iso-8859-15', ['festvox-ca-ona-hts']),
  festival('hindi_NSK_diphone', 'hindi', 'utf-8', ['festvox-hi-nsk', 'festival-hi'], {
    needs: '/usr/share/festival/hindi_scm/hindi_phones.scm',
  }),
  festival('msu_ru_nsh_clunits', 'russian', 'utf-8', ['festvox-ru'], {
    // The voice joins its units with windows that start at each unit's first pitch mark and end before its last, but
    // its segment times are those of units laid end to end. This is the join that does lay them so, to the sample.
    setup: "(set! clunits_params (cons '(join_method smoothedjoin) clunits_params))",
  }),
];

/** Debian keeps libraries in a folder named after the machine's architecture. */
const isLibraryThere = (voice) =>
  readdirSync('/usr/lib').some((folder) => existsSync(`/usr/lib/${folder}/libflite_cmu_us_${voice}.so`));

function isInstalled({ engine, voice, needs }) {
  if (engine === 'flite')
    return existsSync('/usr/include/flite/flite.h') && existsSync('/usr/bin/cc') && isLibraryThere(voice);
  if (!existsSync('/usr/bin/festival') || !existsSync(VOICES_FOLDER)) return false;
  if (needs !== undefined && !existsSync(needs)) return false;
  return readdirSync(VOICES_FOLDER).some((language) => existsSync(`${VOICES_FOLDER}/${language}/${voice}`));
}

/** The rows of FOREIGN_VOICES that this machine has. */
export const installedVoices = () => FOREIGN_VOICES.filter(isInstalled);
