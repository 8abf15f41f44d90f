import { parse } from "qs";
import { z } from "zod";

/** Commas separate the values of a list. */
function list<T>(item: z.ZodType<T, string>) {
  return z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(item));
}

function range<T extends z.ZodType>(value: T) {
  return z.strictObject({ gt: value.optional(), gte: value.optional(), lt: value.optional(), lte: value.optional() }).optional();
}

const text = z.union([z.string(), z.strictObject({ ne: z.string().optional(), like: z.string().optional() })]).optional();
const number = z.coerce.number();
const wholeNumber = z.coerce.number<string>().int();
const dateOrStar = z.union([z.literal("*"), z.coerce.date()]);

const listQuery = z.strictObject({
  id: range(wholeNumber),
  customerId: list(wholeNumber).optional(),
  customerName: text,
  email: text,
  status: list(z.enum(["open", "paid", "shipped", "void"])).optional(),
  channel: list(z.enum(["web", "shop", "phone"])).optional(),
  currency: list(z.string()).optional(),
  total: range(number),
  discount: range(number),
  quantity: range(wholeNumber),
  weight: range(number),
  paid: z.stringbool().optional(),
  note: text,
  tags: z.strictObject({ all: list(z.string()) }).optional(),
  createdAt: range(z.coerce.date()),
  shippedAt: dateOrStar.optional(),
  address: z.strictObject({ city: list(z.string()).optional(), country: text }).optional(),
  q: z.string().optional(),
  sort: list(z.string().regex(/^-?(?:id|total|createdAt)$/)).default([]),
  fields: z.string().optional(),
  exclude: z.string().optional(),
  page: wholeNumber.min(1).default(1),
  perPage: wholeNumber.min(1).max(100).default(20),
});

const compiled = z.compile(listQuery);

/** What people write by hand: `qs`, then a zod schema that coerces numbers and dates and splits lists. */
export function parseByHand(query: string): z.output<typeof listQuery> {
  return listQuery.parse(parse(query));
}

/** The same with the schema compiled. */
export function parseByHandCompiled(query: string): z.output<typeof listQuery> {
  return compiled.parse(parse(query));
}
