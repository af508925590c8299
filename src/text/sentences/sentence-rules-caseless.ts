// Sentence rules of the languages whose scripts have no capitals: Amharic, Arabic, Bengali, Hebrew, Hindi, Japanese,
// Korean, Mandarin, Thai, Urdu. A capital cannot tell that a sentence begins, so the terminal does, and a word that is
// listed here goes on whatever follows.
import { sentenceRules } from './sentence-rules.ts';

/** Also attached to the word before it, as Chinese, Japanese and Thai are written. */
const LATIN_ABBREVIATIONS = '-Dr -Mr -Mrs -Ms -Prof -St -vs -Fig -No -Vol Ph.D M.Sc B.Sc e.g i.e';

/** "He asked", "she asked" and so on, each written as one entry of a list. */
const pairs = (speakers: string, verbs: string) =>
  speakers
    .split(' ')
    .flatMap((speaker) => verbs.split(' ').map((verb) => `${speaker}_${verb}`))
    .join(' ');

export const amharic = sentenceRules({
  wordMark: '፡',
  afterQuote: 'ብላ ብሎ ብለው ብዬ ብለን አለ በማለት',
  never: `ዶ ዶር ዶክ ፕሮፌ ፕ ፕሮ ወ አቶ ኢንጂ ኮ ኮሎ ጄ ጄኔ ሻ ሻለ መ መቶ ብ ብርጋ ሌ ኤ ቁ ገጽ ስ ስልክ ተ ቅ ዓ ም ዓ.ም ዓ.ዓ ዓመተ.ምሕረት ከ ጠ ከጠ ጥ ምሳ ለምሳ እ እ.ኤ.አ እኤአ ክ ክ.ክ ኪ ኪ.ሜ ኪሎ ሜ ሴ ሴ.ሜ ፖ ፖ.ሣ.ቁ ፓ ${LATIN_ABBREVIATIONS}`,
  usually: 'ወዘተ ወ.ዘ.ተ',
});

export const arabic = sentenceRules({
  never: `غ م وم 
    د ود أ وأ ا أ.د ا.د أ.م.د م.م ذ ش ص ج ف ط ق س ع ه ب ت ث ح خ ر ز ض ظ ك ل ن و ي هـ ق.م ق.هـ ص.ب
    دك دكت مهند أست بروف تلف مج 
    ش.م.ع ش.م.م ذ.م.م ب.م ت.م بم ص.م ${LATIN_ABBREVIATIONS}`,
  usually: 'إلخ الخ ا.هـ اهـ',
});

export const hebrew = sentenceRules({
  afterQuote: 'שאל אמר ענה ענתה ענו השיב צעק לחש הוסיף קרא_ קראה_ תהה תהתה',
  never: `
    ד"ר ד״ר פרופ פרופ' גב גב' עו"ד עו״ד אינג' אינג רח רח' ' שכ' עמ עמ' ע סע' ס' כר' מהד' הוצ' עי' עיין
    לדוג לדוג' דוג' ז"א ז״א כ כב' ר' נק' ק"מ ס"מ ק.מ ס.מ מ"מ ק"ג דק' שנ' ח.פ ת.ד ת.ז ע.מ ב.מ ${LATIN_ABBREVIATIONS}`,
  usually: `וכו וכו' וכד וכד' וגו וגו' ועוד וכיו"ב וכדו'`,
});

export const hindi = sentenceRules({
  afterQuote: `${pairs('उसने उन्होंने मैंने हमने तुमने आपने इसने इन्होंने किसी_ने माँ_ने पिता_ने पिताजी_ने लड़के_ने लड़की_ने बच्चे_ने', 'पूछा कहा बताया पुकारा')} ${pairs('वह वे मैं माँ पिता लड़का लड़की', 'बोला बोली बोले चिल्लाया चिल्लाई चिल्लाए')}`,
  never: `
    डॉ डा प्रो श्री श्रीमती सुश्री कु पं मो मु स्व ब्रिगे कै इंजी एड अधि नि रु रू सं क्र नं पृ चि खं अ अध्या धा दि ई पू ई.पू ई.स वि
    वि.सं मि कि कि.मी सेमी से.मी कि.ग्रा ग्रा उदा फो टेली जि म.प्र उ.प्र
    ए बी सी डी एफ एफ़ एच जे के एल एम एन ओ क्यू आर एस टी यू वी डब्ल्यू डब्लू एक्स वाई ज़ेड जेड ${LATIN_ABBREVIATIONS}`,
  // Names of letters that are words as well.
  sometimes: 'जी पी आई',
  usually: 'इत्या आदि',
});

export const bengali = sentenceRules({
  never: `
    ড ডা ডঃ ডাঃ মো মোঃ মোসা মোসাঃ মু মুহ মুহাঃ মি মিঃ অধ্যা প্রফে প্রকৌ ইঞ্জি এড অ্যাড শ্রী কর্নে মেজ ব্রি
    নং পৃ পৃঃ অনু খ্রি পূ খ্রি.পূ খৃ খৃ.পূ খ্রিঃ হি বি দ্র বি.দ্র কি কি.মি কিমি কে.জি গ্রা মি.মি সে.মি লি মিনি
    উদা দ্রঃ টে ফো মোবা মৃ ইং বাং
    সি ডি এফ জি এইচ জে এল এম এন পি কিউ আর এস টি ইউ ভি ডব্লিউ এক্স ওয়াই জেড ${LATIN_ABBREVIATIONS}`,
  sometimes: 'এ ই আই কে ও',
  usually: 'ইত্যা',
});

/** The stop of a sentence abbreviates too. */
export const urdu = sentenceRules({
  afterQuote: `${pairs('اس_نے اُس_نے انہوں_نے اُنہوں_نے میں_نے ہم_نے تم_نے آپ_نے کسی_نے ماں_نے باپ_نے لڑکے_نے لڑکی_نے بچے_نے', 'پوچھا کہا بتایا پکارا')} ${pairs('وہ میں ماں باپ لڑکا لڑکی', 'بولا بولی بولے چلایا چلائی چلائے')}`,
  never: `
    ڈاکٹر ڈاک پروف ق.م ص صفحہ ج ع
    اے ڈی ایف ایچ ایل ایم این ایس ایکس کیو آر ٹی یو وی ڈبلیو وائی زیڈ ${LATIN_ABBREVIATIONS}`,
  sometimes: 'بی سی ای جی آئی جے کے او پی',
  usually: 'وغیرہ الخ',
});

export const japanese = sentenceRules({
  never: LATIN_ABBREVIATIONS,
  afterQuote: 'と っ な の が は を に も へ で や',
  afterOutcry:
    'と言 という といっ といわ と思 とおも と叫 と聞 と尋 と答 と書 と声 と考 と笑 と呼 と怒 って言 って思 って叫 って聞',
  neverFirst: /^[\p{scx=Hiragana}ー々]/u,
});

export const mandarin = sentenceRules({
  never: LATIN_ABBREVIATIONS,
  neverFirst: /^[的地得了着著过過们們吗嗎呢吧啊呀之]/u,
});

export const korean = sentenceRules({ ordinals: 'dotted', never: LATIN_ABBREVIATIONS });

export const thai = sentenceRules({
  spaces: 'clause',
  finals: 'ครับ คับ ครับผม ค่ะ คะ ค่า จ้ะ จ้า จ๊ะ ฮะ',
  neverFirst: /^[ๆฯะาำิีึืุูๅ็่้๊๋์]/u,
  // The words before an abbreviation are written together with it.
  never: `
    -ดร -นพ -พญ -ทพ -ภก -น.ส -ด.ช -ด.ญ ศ -รศ -ผศ -ม.ร.ว -ม.ล -ม.จ -พล.อ -พล.ท -พล.ต -พ.อ -พ.ท -พ.ต -ร.อ -ร.ท -ร.ต -ส.ต -จ.ส -ส.ส -ส.ว
    -ด.ต -พ.ศ -ค.ศ -ร.ศ -จ.ศ -ฮ.ศ น -ชม วท -กม -ซม -มม ม -กก ก -มก ล -มล -ตร.ม -ตร.กม -ตร.ว -ลบ.ม ซ ถ จ อ ต บ
    -ม.ค -ก.พ -มี.ค -เม.ย -พ.ค -มิ.ย -ก.ค -ส.ค -ก.ย -ต.ค -พ.ย -ธ.ค อา พฤ -โทร -กทม -รร -รพ -สน -สภ -บจ -บมจ -หจก ฉ ป ${LATIN_ABBREVIATIONS}`,
});
