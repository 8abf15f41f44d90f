/** A kind of values of which the document and the service say different things. */
export interface Difference {
  readonly types: readonly string[];
  /** The values of the test, or a text for them and which they are. */
  readonly values: readonly unknown[] | Described;
  /** Who takes the values; the other refuses them. */
  readonly taker: "document" | "service";
  readonly why: string;
}

interface Described {
  readonly text: string;
  isOne(value: unknown): boolean;
}

const isSafe = (value: unknown): value is number => Number.isSafeInteger(value);
const integers = "integers as numbers, up to 2^53 − 1";

/** The whole table: a difference that is not here, or that is here and does not exist, fails the test. */
export const differences: readonly Difference[] = [
  {
    types: ["z.bigint()", "z.int64()", "z.union([z.bigint(), z.boolean()])"],
    values: { text: integers, isOne: isSafe },
    taker: "service",
    why: "answers have texts, and so should requests: most programs read numbers as doubles",
  },
  { types: ["z.bigint().min(5n)"], values: { text: integers, isOne: (value) => isSafe(value) && value >= 5 }, taker: "service", why: "the same" },
  { types: ["z.uint64()"], values: { text: integers, isOne: (value) => isSafe(value) && value >= 0 }, taker: "service", why: "the same" },
  {
    types: ["z.bigint().multipleOf(5n)"],
    values: { text: integers, isOne: (value) => isSafe(value) && value % 5 === 0 },
    taker: "service",
    why: "the same",
  },
  { types: ["z.literal(5n)"], values: [5], taker: "service", why: "the same" },
  { types: ["z.object({ at: z.date(), n: z.bigint() })"], values: [{ at: "2026-01-31T12:30:45Z", n: 5 }], taker: "service", why: "the same" },
  {
    types: ["z.bigint().multipleOf(5n)"],
    values: ["1", "-1", "9223372036854775807", "-9223372036854775808"],
    taker: "document",
    why: "JSON Schema has no multiples of texts",
  },
  {
    types: ["z.number().multipleOf(0.01)"],
    values: [1.005, 1e-7],
    taker: "document",
    why: "validators divide doubles, so that `multipleOf: 0.01` would refuse 19.99; the step stands in the description",
  },
  {
    types: ["z.number().multipleOf(3)"],
    values: [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 53, 1e39],
    taker: "service",
    why: "zod compares the quotient of large numbers with a tolerance",
  },
  {
    types: [
      "z.date()",
      "z.date().min(2026-01-01)",
      'z.union([z.date(), z.literal("never")])',
      "z.iso.datetime()",
      "z.iso.datetime({ offset: true })",
      "z.iso.datetime({ precision: 3 })",
    ],
    values: ["2026-01-31T12:30Z", "2026-01-31T24:00:00Z"],
    taker: "service",
    why: "ISO 8601 has them, but not the format `date-time`",
  },
  { types: ["z.date().min(2026-01-01)"], values: ["2025-12-31T23:59:59Z"], taker: "document", why: "JSON Schema compares no instants" },
  { types: ["z.string().trim().min(1)"], values: [" "], taker: "document", why: "what follows `trim()` is checked of the changed text" },
  {
    types: ["z.string().trim().email()"],
    values: [" ada@example.com "],
    taker: "service",
    why: "the same; the format stays, because generators of forms use it",
  },
  { types: ["z.string().trim().email()"], values: ["a!b@example.com"], taker: "document", why: "the same; the format allows more than zod" },
  {
    types: ["z.string().refine((text) => text !== 'abc')"],
    values: ["abc"],
    taker: "document",
    why: "a schema cannot express code; [`schemas`](#the-openapi-document) can say it",
  },
  {
    types: ["z.int().catch(7)"],
    values: { text: "everything but integers up to 2^53 − 1", isOne: (value) => !Number.isSafeInteger(value) && value !== undefined },
    taker: "service",
    why: "the document says what should be sent",
  },
  {
    types: ["z.coerce.number()"],
    values: {
      text: "all that `Number()` makes a number of",
      isOne: (value) => typeof value !== "number" && value !== undefined && Number.isFinite(Number(value)),
    },
    taker: "service",
    why: "the same",
  },
];

/** Whether the table has the value. */
export function isExpected({ values }: Difference, value: unknown): boolean {
  if ("isOne" in values) return values.isOne(value);
  return values.some((each) => JSON.stringify(each) === JSON.stringify(value));
}

/** The table as the documentation shows it. */
export function tableOf(rows: readonly Difference[]): string {
  const lines = rows.map(({ types, values, taker, why }) => {
    const shown = "isOne" in values ? values.text : codes(values.map((value) => JSON.stringify(value)));
    return `| ${codes(types)} | ${shown} | the ${taker} | ${why} |`;
  });
  return ["| type | values | taken by | why |", "|---|---|---|---|", ...lines].join("\n");
}

function codes(texts: readonly string[]): string {
  return texts.map((text) => `\`${text.replaceAll("|", "\\|")}\``).join(", ");
}
