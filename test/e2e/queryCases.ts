/** A request to the shop, and what must come back. */
export interface QueryCase {
  readonly name: string;
  readonly target: string;
  /** Ids of the rows, in order. */
  readonly ids?: readonly number[];
  /** Status and code of a refusal. */
  readonly refused?: readonly [status: number, code: string];
}

export const customers = [
  { name: "Ada Lovelace", email: "ada@example.com", tags: ["math", "poetry"], address: { city: "London", country: "UK" }, bio: "first" },
  { name: "Grace Hopper", email: "grace@example.com", tags: ["navy", "math"], address: { city: "New York", country: "US" }, status: "inactive" },
  { name: "Doe, John", email: "john@example.com", tags: [], address: { city: "Århus", country: "DK" } },
  { name: "100% Émile_Zola*", email: "emile+1@example.com", tags: ["poetry"], preferences: { newsletter: true, locale: "fr" } },
] as const;

/** Order n belongs to customer 1 + n % 4 (customer 5 does not exist for n = 24), and has the total n × 2.5. */
export const orders = Array.from({ length: 24 }, (_, index) => {
  const number = index + 1;
  return {
    customerId: number === 24 ? 5 : 1 + (number % 4),
    status: (["open", "paid", "void"] as const)[number % 3],
    total: number * 2.5,
    currency: number % 2 === 0 ? "EUR" : "USD",
    note: number % 4 === 0 ? null : number % 5 === 0 ? "" : `Note ${number}`,
    tags: [`t${number % 3}`, ...(number % 2 === 0 ? ["even"] : [])],
  };
});

const range = (from: number, to: number, step = 1) => Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

/** The interface's patterns, over the shop. */
export const queryCases: readonly QueryCase[] = [
  { name: "equality", target: "/users?name=Grace+Hopper", ids: [2] },
  { name: "multi-value (OR)", target: "/orders?status=open,paid&perPage=5", ids: [1, 3, 4, 6, 7] },
  { name: "a comma that URLSearchParams has encoded", target: "/orders?status=open%2Cpaid&perPage=5", ids: [1, 3, 4, 6, 7] },
  { name: "a comma inside a text", target: "/users?name=Doe%2C%20John", ids: [3] },
  { name: "a comma inside a text, by the bracket form", target: "/users?name[]=Doe,%20John", ids: [3] },
  { name: "a comma inside a text, by [eq]", target: "/users?name[eq]=Doe,%20John", ids: [3] },
  { name: "negation", target: "/orders?status!=open&perPage=4", ids: [1, 2, 4, 5] },
  { name: "negation, encoded", target: "/orders?status%21=open&perPage=4", ids: [1, 2, 4, 5] },
  { name: "negation matches null", target: "/orders?note!=Note%201&perPage=4", ids: [2, 3, 4, 5] },
  { name: "existence", target: "/orders?note=*&total[lte]=15", ids: [1, 2, 3, 5, 6] },
  { name: "existence by has", target: "/orders?has=note&total[lte]=15", ids: [1, 2, 3, 5, 6] },
  { name: "absence", target: "/orders?note!=*&total[lte]=25", ids: [4, 8] },
  { name: "a nested field exists", target: "/users?has=address.city", ids: [1, 2, 3] },
  { name: "distinct parameters are AND", target: "/orders?status=paid&currency=EUR", ids: [4, 10, 16, 22] },
  { name: "dedicated names", target: "/orders?minTotal=55", ids: [22, 23, 24] },
  { name: "dedicated names of dates", target: "/orders?createdFrom=2000-01-01&createdTo=2001-01-01", ids: [] },
  { name: "bracket operators", target: "/orders?total[gt]=5&total[lte]=10", ids: [3, 4] },
  { name: "suffix operators", target: "/orders?total__gt=5&total__lte=10", ids: [3, 4] },
  { name: "both styles of one operator", target: "/orders?total[gt]=5&total__gt=6", refused: [400, "REPEATED_PARAMETER"] },
  { name: "in", target: "/orders?id[in]=3,1,2", ids: [1, 2, 3] },
  { name: "nin", target: "/orders?id[nin]=1,2&perPage=2", ids: [3, 4] },
  { name: "like: contains, without case", target: "/users?name[like]=LOVE", ids: [1] },
  { name: "like: a prefix", target: "/users?name[like]=g*", ids: [2] },
  { name: "like: folds what is not ASCII", target: "/users?address.city[like]=%C3%85RHUS", ids: [3] },
  { name: "like: % is a wildcard, \\ escapes, _ is literal", target: "/users?name[like]=100%5C%25%20%C3%A9mile_%25", ids: [4] },
  { name: "like: an escaped star", target: "/users?name[like]=*zola%5C*", ids: [4] },
  { name: "an array holds any", target: "/users?tags=math,navy", ids: [1, 2] },
  { name: "an array, singular and repeated", target: "/users?tag=navy&tag=poetry", ids: [1, 2, 4] },
  { name: "an array, with brackets", target: "/users?tags[]=navy&tags[]=poetry", ids: [1, 2, 4] },
  { name: "an array holds all", target: "/users?tags[all]=math,poetry", ids: [1] },
  { name: "an array holds none", target: "/users?tags!=math,navy", ids: [3, 4] },
  { name: "a nested field with dots", target: "/users?address.city=London", ids: [1] },
  { name: "a nested field with brackets", target: "/users?address[city]=London", ids: [1] },
  { name: "a nested field with an underscore", target: "/users?address_city=London", ids: [1] },
  { name: "a nested field with an operator", target: "/users?address[country][in]=UK,DK", ids: [1, 3] },
  { name: "a nested boolean", target: "/users?preferences.newsletter=true", ids: [4] },
  { name: "search", target: "/users?q=ada", ids: [1] },
  { name: "search: every term somewhere", target: "/users?search=grace%20hopper", ids: [2] },
  { name: "search: blank asks for nothing", target: "/users?q=%20", ids: [1, 2, 3, 4] },
  { name: "a range of dates", target: "/orders?createdAt[gte]=2000-01-01&createdAt[lt]=2100-01-01&perPage=2", ids: [1, 2] },
  { name: "a filter over a relation", target: "/orders?customer.name=Ada%20Lovelace&total[lt]=25", ids: [4, 8] },
  { name: "sort with ties", target: "/orders?sort=-status,id&perPage=4", ids: [2, 5, 8, 11] },
  { name: "sort: null is the lowest", target: "/orders?sort=note,-id&perPage=7", ids: [24, 20, 16, 12, 8, 4, 15] },
  { name: "sort: null is the lowest, descending", target: "/orders?sort=-note,id&perPage=2", ids: [9, 7] },
  { name: "sort by a nested field", target: "/users?sort=-address.city", ids: [3, 2, 1, 4] },
  { name: "pages", target: "/orders?page=2&perPage=10", ids: range(11, 20) },
  { name: "a page past the end", target: "/orders?page=9&perPage=10", ids: [] },
  { name: "the orders of a user", target: "/users/1/orders?total[lt]=25", ids: [4, 8] },
  { name: "the orders of nobody", target: "/users/99/orders", refused: [404, "NOT_FOUND"] },
  { name: "an unknown field", target: "/orders?statos=open", refused: [400, "UNKNOWN_FIELD"] },
  { name: "a wrong type", target: "/orders?total=abc", refused: [400, "INVALID_VALUE"] },
  { name: "a wrong enum value", target: "/orders?status=lost", refused: [400, "INVALID_VALUE"] },
  { name: "an operator that the field has not", target: "/orders?total[like]=1", refused: [400, "OPERATOR_NOT_ALLOWED"] },
  { name: "an operator that nobody has", target: "/orders?total[foo]=1", refused: [400, "UNKNOWN_OPERATOR"] },
  { name: "an empty value", target: "/orders?total=", refused: [400, "EMPTY_VALUE"] },
  { name: "a list where one value stands", target: "/orders?total[gt]=1,2", refused: [400, "SINGLE_VALUE_REQUIRED"] },
  { name: "a repeated control", target: "/orders?page=1&page=2", refused: [400, "REPEATED_PARAMETER"] },
  { name: "q and search", target: "/orders?q=a&search=b", refused: [400, "CONFLICTING_PARAMETERS"] },
  { name: "an unsortable field", target: "/orders?sort=tags", refused: [400, "SORT_NOT_ALLOWED"] },
  { name: "page 0", target: "/orders?page=0", refused: [400, "INVALID_VALUE"] },
  { name: "perPage 101", target: "/orders?perPage=101", refused: [400, "INVALID_VALUE"] },
  { name: "too deep an offset", target: "/orders?page=101&perPage=100", refused: [400, "OFFSET_TOO_LARGE"] },
  { name: "a foreign cursor", target: "/orders?cursor=eyJhIjoxfQ.AAAA", refused: [400, "INVALID_CURSOR"] },
  { name: "bad encoding", target: "/orders?note=%C3%28", refused: [400, "MALFORMED_QUERY"] },
  { name: "an empty selection", target: "/orders?fields=", refused: [400, "EMPTY_SELECTION"] },
  { name: "an unknown field in fields", target: "/orders?fields=id,nope", refused: [400, "UNKNOWN_FIELD"] },
  { name: "an unknown relation", target: "/orders?include=buyer", refused: [400, "UNKNOWN_RELATION"] },
  { name: "a forbidden field in fields", target: "/users?fields=id,ssn", refused: [403, "FORBIDDEN_FIELD"] },
  { name: "a forbidden field in a filter", target: "/users?ssn=1", refused: [403, "FORBIDDEN_FIELD"] },
  { name: "a hidden field in a filter", target: "/users?passwordHash=1", refused: [400, "UNKNOWN_FIELD"] },
  { name: "a hidden field in fields", target: "/users?fields=passwordHash", refused: [400, "UNKNOWN_FIELD"] },
  { name: "an unknown word on a single row", target: "/users/1?field=id", refused: [400, "UNKNOWN_FIELD"] },
];
