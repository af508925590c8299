// Sentence rules of English.
import { sentenceRules } from './sentence-rules.ts';

export const english = sentenceRules({
  never: `
    Mr Mrs Ms Mx Messrs Mmes Dr Drs Prof Rev Hon Fr Gen Lt Col Cpt Capt Cmdr Maj Sgt Cpl Pvt Adm Gov Sen Rep Pres
    Supt Amb Mgr Msgr Mt Ft
    e.g i.e eg ie vs v cf viz approx resp esp incl excl ca aka a.k.a w.r.t`,
  sometimes: `
    St Ave Blvd Rd Hwy Jr Sr Esq Inc Ltd Co Corp Bros LLC Assn Dept Univ Ph.D deg M.D B.A M.A B.Sc M.Sc Ed.D D.D.S
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun`,
  usually: 'etc al',
  beforeNumber: `
    c no nos n° fig figs p pp vol ch sec art eq par para ver rm apt ste pt min max avg tel ext ft lb lbs oz yd hr hrs est`,
  starters: `
    A About After All Also Although An And Another Any Are As At Be Because Before Both But By Can Could Did Do Does
    Each Even Every Everyone First For From Go Had Has Have He Hello Her Here Hers Hi His How However I If In Instead
    Is It Its Just Last Later Let Maybe Meanwhile Moreover Most My Next No None Nor Nothing Now Of Oh Okay On Once One
    Only Or Other Our Perhaps Please She Should Since So Some Somebody Someone Sometimes Soon Still Such Sure Thank
    Thanks That The Their Then There Therefore These They This Those Though Through Thus To Today Together Tomorrow
    Under Unless Until Was We Well Were What When Where Whether Which While Who Whose Why Will With Without Would Yes
    Yesterday Yet You Your I'm I've I'll I'd It's He's She's That's There's They're We're We've We'll You're You've
    Don't Didn't Can't Let's What's Who's`,
  counts: {
    labels: `
      page pages p pp chapter chapters ch no nos n° number numbers nr figure figures fig figs table tables section
      sections sec part parts volume vol issue version item question room gate line bus track floor route flight exit
      act scene step stage phase year grade level unit lot verse aged age article art paragraph para appendix box apt
      ext tel usd eur gbp chf jpy inr rs`,
    months: `
      january february march april may june july august september october november december jan feb mar apr jun jul
      aug sep sept oct nov dec`,
    links: `
      hundred thousand million billion trillion dozen m bn tn k and or to of a half square cubic sq cu degrees degree
      nautical fluid`,
    tails: `
      pm am p.m a.m o'clock o’clock sharp noon midnight celsius fahrenheit per hour second gmt utc est pst bc ad b.c
      a.d bce ce`,
    ordinalEnds: 'st nd rd th',
    numerals: `
      two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
      nineteen twenty- thirty- forty- fifty- sixty- seventy- eighty- ninety- hundred thousand million billion dozen`,
  },
});
