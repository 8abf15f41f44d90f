/** What is wrong with a row, if anything. */
export type Wrong = "bad e-mail" | "e-mail twice" | "wrong width";

/** A line of the file. */
export interface UserLine {
  readonly text: string;
  readonly wrong: Wrong | undefined;
}

/** One row in so many is invalid, in each of these ways in turn. */
export const wrongEvery = 250;
const wrongs: readonly Wrong[] = ["bad e-mail", "e-mail twice", "wrong width"];

/** The columns of the file; names with dots are members of objects. */
export const columns = [
  "name",
  "email",
  "status",
  "tags",
  "preferences.newsletter",
  "preferences.locale",
  "address.city",
  "address.country",
  "bio",
] as const;

const firstNames = ["Ada", "Zoë", "Søren", "Łukasz", "José", "Ольга", "Ελένη", "مريم", "花子", "Nguyễn", "Siobhán", "Anne-Marie"];
const lastNames = [
  "Lovelace",
  "Müller",
  "O'Brien",
  "García Márquez",
  "Иванова",
  "Παπαδοπούλου",
  "山田",
  "van der Berg",
  "Ó Súilleabháin",
  "King, Jr.",
];
const nickNames = ["Bob", "Ace", "Sunny", "Doc"];
const places = [
  ["London", "United Kingdom"],
  ["Köln", "Germany"],
  ["São Paulo", "Brazil"],
  ["東京", "Japan"],
  ["Washington, D.C.", "United States"],
  ["Reykjavík", "Iceland"],
] as const;
const locales = ["en", "de", "pt-BR", "ja", "fr"];
const tags = ["", "vip", "beta", "vip|beta", "press|partner", "newsletter"];
const bios = ["", "", "Likes trains, tea and tidy data.", 'Says "hello" to everyone.', "Two lines:\nthis is the second.", "🚲 to work, 🎻 at night"];

/** Users as lines of CSV without the header. The same seed makes the same users; other seeds make other e-mails. */
export function* userLines(rows: number, seed: number): Generator<UserLine, void, undefined> {
  const random = numbersOf(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  for (let row = 1; row <= rows; row++) {
    const wrong = row % wrongEvery === 0 ? wrongs[(row / wrongEvery - 1) % wrongs.length] : undefined;
    const [city, country] = pick(places);
    const cells = [
      random() < 0.1 ? `${pick(firstNames)} "${pick(nickNames)}" ${pick(lastNames)}` : `${pick(firstNames)} ${pick(lastNames)}`,
      emailOf(row, seed, wrong),
      random() < 0.8 ? "active" : "inactive",
      pick(tags),
      random() < 0.5 ? "true" : "false",
      pick(locales),
      city,
      country,
      pick(bios),
    ];
    yield { text: `${cells.map(cellOf).join(",")}${wrong === "wrong width" ? ",one cell too many" : ""}\n`, wrong };
  }
}

function emailOf(row: number, seed: number, wrong: Wrong | undefined): string {
  if (wrong === "bad e-mail") return `user${row} at example.com`;
  return `user${wrong === "e-mail twice" ? row - 1 : row}.${seed}@example.com`;
}

/** @see RFC 4180 §2 */
function cellOf(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Pseudo-random numbers from 0 to 1, the same for the same seed (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
