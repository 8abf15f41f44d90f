/** Typical list queries, by the number of their parameters: each in as many variants as there are turns before one comes again. */
export interface Queries {
  readonly title: string;
  readonly parameters: number;
  readonly texts: readonly string[];
}

const variants = 64;

function threeParameters(variant: number): string {
  return `status=open&sort=-createdAt&perPage=${10 + variant}`;
}

function eightParameters(variant: number): string {
  const filters = `status=open,paid&total[gte]=${variant + 0.5}&total[lt]=${500 + variant}&createdAt[gte]=2025-01-${day(variant)}`;
  return `${filters}&customerName=Ada%20Lovelace%20${variant}&sort=-createdAt,id&page=${variant + 1}&perPage=50`;
}

function thirtyParameters(variant: number): string {
  const lists = `status=open,paid&channel=web&currency=EUR,USD,NOK&customerId=${variant},15,18&tags[all]=gift,express&paid=true&id[gt]=${1_000 + variant}`;
  const ranges = `total[gte]=${variant + 0.5}&total[lt]=500&discount[gt]=0&discount[lte]=25&quantity[gte]=1&quantity[lte]=20&weight[gte]=0.25&weight[lt]=30`;
  const dates = `createdAt[gte]=2025-01-${day(variant)}T00%3A00%3A00Z&createdAt[lt]=2026-01-01T00%3A00%3A00Z&shippedAt=*`;
  const texts = `customerName[like]=%C3%85se%20${variant}*&email[ne]=nobody%40example.com&email[like]=*%40example.com&note[like]=fragile`;
  const nested = "address[city]=Troms%C3%B8,Bod%C3%B8&address[country][ne]=SE";
  const controls = `q=blue%20box&sort=-createdAt,total&fields=id,status,total,address.city&exclude=total&page=2&perPage=50`;
  return [lists, ranges, dates, texts, nested, controls].join("&");
}

function day(variant: number): string {
  return String(1 + (variant % 28)).padStart(2, "0");
}

/** As browsers' and most other clients write a query. */
function asUrlSearchParams(query: string): string {
  return new URLSearchParams(query).toString();
}

export const queries: readonly Queries[] = [
  queriesOf("3 parameters", threeParameters),
  queriesOf("8 parameters", eightParameters),
  queriesOf("8 parameters as URLSearchParams writes them", (variant) => asUrlSearchParams(eightParameters(variant))),
  queriesOf("30 parameters", thirtyParameters),
];

function queriesOf(title: string, write: (variant: number) => string): Queries {
  // Texts from a socket are flat; those that were put together in JavaScript are not.
  const texts = Array.from({ length: variants }, (_, variant) => Buffer.from(write(variant), "latin1").toString("latin1"));
  return { title, texts, parameters: texts[0]?.split("&").length ?? 0 };
}
