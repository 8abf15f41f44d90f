import type { ProblemItem } from "../../../src/ground/problem/index.js";

const meant = (name: string, near: string) => ({
  code: "UNKNOWN_FIELD" as const,
  detail: `Unknown field "${name}" in "${name}". Did you mean "${near}"?`,
  parameter: name,
  hint: `did you mean "${near}"`,
});

/** A query, and the one problem that it has. */
export const rows: readonly [query: string, status: number, item: ProblemItem & { readonly maximum?: number }][] = [
  // unknown field / control
  [
    "statos=open",
    400,
    {
      code: "UNKNOWN_FIELD",
      detail: 'Unknown field "statos" in "statos". Did you mean "status"?',
      parameter: "statos",
      hint: 'did you mean "status"',
    },
  ],
  [
    "statos[in]=open",
    400,
    {
      code: "UNKNOWN_FIELD",
      detail: 'Unknown field "statos" in "statos[in]". Did you mean "status"?',
      parameter: "statos[in]",
      hint: 'did you mean "status"',
    },
  ],
  [
    "STATUS=open",
    400,
    {
      code: "UNKNOWN_FIELD",
      detail: 'Unknown field "STATUS" in "STATUS". Did you mean "status"?',
      parameter: "STATUS",
      hint: 'did you mean "status"',
    },
  ],
  [
    "address[citty]=x",
    400,
    {
      code: "UNKNOWN_FIELD",
      detail: 'Unknown field "address[citty]" in "address[citty]". Did you mean "address.city"?',
      parameter: "address[citty]",
      hint: 'did you mean "address.city"',
    },
  ],
  ["colour=red", 400, { code: "UNKNOWN_FIELD", detail: 'Unknown field "colour" in "colour".', parameter: "colour" }],
  [
    "perpage=5",
    400,
    {
      code: "UNKNOWN_FIELD",
      detail: 'Unknown field "perpage" in "perpage". Did you mean "perPage"?',
      parameter: "perpage",
      hint: 'did you mean "perPage"',
    },
  ],
  ["limit=10", 400, meant("limit", "perPage")],
  ["page_size=10", 400, meant("page_size", "perPage")],
  ["pageSize=10", 400, meant("pageSize", "perPage")],
  ["per_page=10", 400, meant("per_page", "perPage")],
  ["page[size]=10", 400, meant("page[size]", "perPage")],
  ["page[limit]=10", 400, meant("page[limit]", "perPage")],
  ["$top=10", 400, meant("$top", "perPage")],
  ["_limit=10", 400, meant("_limit", "perPage")],
  ["offset=20", 400, meant("offset", "page")],
  ["skip=20", 400, meant("skip", "page")],
  ["pageNumber=2", 400, meant("pageNumber", "page")],
  ["page[offset]=2", 400, meant("page[offset]", "page")],
  ["page_token=x", 400, meant("page_token", "cursor")],
  ["starting_after=x", 400, meant("starting_after", "cursor")],
  ["order_by=name", 400, meant("order_by", "sort")],
  ["orderBy=name", 400, meant("orderBy", "sort")],
  ["select=name", 400, meant("select", "fields")],
  ["embed=orders", 400, meant("embed", "include")],
  ["query=x", 400, meant("query", "q")],
  [
    "sort=nome",
    400,
    { code: "UNKNOWN_FIELD", detail: 'Unknown field "nome" in "sort". Did you mean "name"?', parameter: "sort", hint: 'did you mean "name"' },
  ],
  [
    "has=nome",
    400,
    { code: "UNKNOWN_FIELD", detail: 'Unknown field "nome" in "has". Did you mean "name"?', parameter: "has", hint: 'did you mean "name"' },
  ],
  [
    `${"x".repeat(200)}=1`,
    400,
    { code: "UNKNOWN_FIELD", detail: `Unknown field "${"x".repeat(64)}…" in "${"x".repeat(64)}…".`, parameter: "x".repeat(128) },
  ],
  [
    `${"x".repeat(63)}😀=1`,
    400,
    { code: "UNKNOWN_FIELD", detail: `Unknown field "${"x".repeat(63)}…" in "${"x".repeat(63)}…".`, parameter: `${"x".repeat(63)}😀` },
  ],
  // `total[foo]=1`
  [
    "total[foo]=1",
    400,
    {
      code: "UNKNOWN_OPERATOR",
      detail: 'Unknown operator "foo" for "total". Allowed: eq, ne, in, nin, gt, gte, lt, lte, exists.',
      parameter: "total[foo]",
      allowed: ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "exists"],
    },
  ],
  [
    "active__NE=1",
    400,
    {
      code: "UNKNOWN_OPERATOR",
      detail: 'Unknown operator "NE" for "active". Allowed: eq, ne, in, nin, exists.',
      parameter: "active__NE",
      allowed: ["eq", "ne", "in", "nin", "exists"],
      hint: 'did you mean "ne"',
    },
  ],
  // operator not on field
  [
    "total[like]=1",
    400,
    {
      code: "OPERATOR_NOT_ALLOWED",
      detail: '"like" is not allowed on "total". Allowed: eq, ne, in, nin, gt, gte, lt, lte, exists.',
      parameter: "total[like]",
      allowed: ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "exists"],
    },
  ],
  [
    "address=Rom",
    400,
    { code: "OPERATOR_NOT_ALLOWED", detail: '"eq" is not allowed on "address". Allowed: exists.', parameter: "address", allowed: ["exists"] },
  ],
  [
    "address!=Rom",
    400,
    { code: "OPERATOR_NOT_ALLOWED", detail: '"ne" is not allowed on "address". Allowed: exists.', parameter: "address!", allowed: ["exists"] },
  ],
  // wrong type/format/enum
  ["total=abc", 400, { code: "INVALID_VALUE", detail: '"total" must be a number; got "abc".', parameter: "total" }],
  [`total=${"9".repeat(70)}x`, 400, { code: "INVALID_VALUE", detail: `"total" must be a number; got "${"9".repeat(64)}…".`, parameter: "total" }],
  ["total[gte]=abc", 400, { code: "INVALID_VALUE", detail: '"total" must be a number; got "abc".', parameter: "total[gte]" }],
  ["quantity=1.5", 400, { code: "INVALID_VALUE", detail: '"quantity" must be an integer; got "1.5".', parameter: "quantity" }],
  [
    "quantity=9007199254740992",
    400,
    { code: "INVALID_VALUE", detail: '"quantity" must be an integer from -(2^53 - 1) to 2^53 - 1; got "9007199254740992".', parameter: "quantity" },
  ],
  ["big=1.5", 400, { code: "INVALID_VALUE", detail: '"big" must be an integer of 64 bits; got "1.5".', parameter: "big" }],
  ["active=maybe", 400, { code: "INVALID_VALUE", detail: '"active" must be true or false; got "maybe".', parameter: "active" }],
  [
    "status[exists]=maybe",
    400,
    { code: "INVALID_VALUE", detail: '"exists" of "status" must be true or false; got "maybe".', parameter: "status[exists]" },
  ],
  [
    "status=lost",
    400,
    {
      code: "INVALID_VALUE",
      detail: '"status" must be one of open, paid, void; got "lost".',
      parameter: "status",
      allowed: ["open", "paid", "void"],
    },
  ],
  ["level=9", 400, { code: "INVALID_VALUE", detail: '"level" must be one of 1, 2, 3; got "9".', parameter: "level", allowed: ["1", "2", "3"] }],
  ["day=2026-1-1", 400, { code: "INVALID_VALUE", detail: '"day" must be a date (YYYY-MM-DD); got "2026-1-1".', parameter: "day" }],
  [
    "createdAt=x",
    400,
    { code: "INVALID_VALUE", detail: '"createdAt" must be a date (YYYY-MM-DD) or a date-time with Z or an offset; got "x".', parameter: "createdAt" },
  ],
  ["seen=2026-01-31", 400, { code: "INVALID_VALUE", detail: '"seen" must be a date-time with Z or an offset; got "2026-01-31".', parameter: "seen" }],
  ["email=x", 400, { code: "INVALID_VALUE", detail: '"email" must be of the format email; got "x".', parameter: "email" }],
  [
    "when=x",
    400,
    {
      code: "INVALID_VALUE",
      detail: '"when" must be a date (YYYY-MM-DD) or a date-time with Z or an offset or an integer of 64 bits; got "x".',
      parameter: "when",
    },
  ],
  // never for secret fields: `key` may be filtered by, but not read
  ["key=1234", 400, { code: "INVALID_VALUE", detail: '"key" must be a UUID.', parameter: "key" }],
  // empty, list element empty
  ["quantity=", 400, { code: "EMPTY_VALUE", detail: '"quantity" has an empty value.', parameter: "quantity" }],
  ["address.city=a,,b", 400, { code: "EMPTY_VALUE", detail: '"address.city" has an empty value.', parameter: "address.city" }],
  // list given to gt/gte/lt/lte/like
  ["total[gte]=1,2", 400, { code: "SINGLE_VALUE_REQUIRED", detail: '"gte" of "total" takes one value.', parameter: "total[gte]" }],
  ["total[lt]=1%2C2", 400, { code: "SINGLE_VALUE_REQUIRED", detail: '"lt" of "total" takes one value.', parameter: "total[lt]" }],
  [
    "name[like]=a,b",
    400,
    {
      code: "SINGLE_VALUE_REQUIRED",
      detail: '"like" of "name" takes one value.',
      parameter: "name[like]",
      hint: "a comma inside a value is written %2C",
    },
  ],
  [
    "name[gt]=a,b",
    400,
    {
      code: "SINGLE_VALUE_REQUIRED",
      detail: '"gt" of "name" takes one value.',
      parameter: "name[gt]",
      hint: "a comma inside a value is written %2C",
    },
  ],
  ["total[exists]=true,false", 400, { code: "SINGLE_VALUE_REQUIRED", detail: '"exists" of "total" takes one value.', parameter: "total[exists]" }],
  // duplicate / conflicting
  [
    "total[gte]=1&total__gte=2",
    400,
    { code: "REPEATED_PARAMETER", detail: '"total[gte]" and "total__gte": "gte" of "total" may be given once.', parameter: "total__gte" },
  ],
  [
    "total[gte]=1&total[gte]=2",
    400,
    { code: "REPEATED_PARAMETER", detail: '"total[gte]": "gte" of "total" may be given once.', parameter: "total[gte]" },
  ],
  ["page=1&page=2", 400, { code: "REPEATED_PARAMETER", detail: '"page" may be given once.', parameter: "page" }],
  ["sort=name,-name", 400, { code: "REPEATED_PARAMETER", detail: '"sort" names "name" twice.', parameter: "sort" }],
  ["q=a&search=b", 400, { code: "CONFLICTING_PARAMETERS", detail: '"q" and "search" mean the same; give one of them.', parameter: "search" }],
  ["page=1&cursor=b", 400, { code: "CONFLICTING_PARAMETERS", detail: '"page" and "cursor" cannot be combined.', parameter: "cursor" }],
  // page 0/abc, perPage 0/101
  [
    "page=0",
    400,
    { code: "INVALID_VALUE", detail: '"page" must be a whole number from 1 to 999999999; got "0".', parameter: "page", maximum: 999_999_999 },
  ],
  [
    "page=abc",
    400,
    { code: "INVALID_VALUE", detail: '"page" must be a whole number from 1 to 999999999; got "abc".', parameter: "page", maximum: 999_999_999 },
  ],
  [
    "perPage=0",
    400,
    { code: "INVALID_VALUE", detail: '"perPage" must be a whole number from 1 to 100; got "0".', parameter: "perPage", maximum: 100 },
  ],
  [
    "perPage=101",
    400,
    { code: "INVALID_VALUE", detail: '"perPage" must be a whole number from 1 to 100; got "101".', parameter: "perPage", maximum: 100 },
  ],
  // offset too deep
  ["page=501", 400, { code: "OFFSET_TOO_LARGE", detail: "Page 501 of 20 is beyond the first 10000 rows.", parameter: "page", hint: "use cursor" }],
  // over a limit
  [
    "sort=name,total,quantity,day,createdAt,id",
    400,
    { code: "QUERY_TOO_COMPLEX", detail: 'Keys of "sort": 6; allowed: 5.', parameter: "sort", maximum: 5 },
  ],
  // permission-forbidden field
  ["ssn=1", 403, { code: "FORBIDDEN_FIELD", detail: 'Not allowed to filter by "ssn".', parameter: "ssn" }],
  ["ssn[foo]=1", 403, { code: "FORBIDDEN_FIELD", detail: 'Not allowed to filter by "ssn".', parameter: "ssn[foo]" }],
  ["ssn[all]=1", 403, { code: "FORBIDDEN_FIELD", detail: 'Not allowed to filter by "ssn".', parameter: "ssn[all]" }],
  ["sort=ssn", 403, { code: "FORBIDDEN_FIELD", detail: 'Not allowed to sort by "ssn".', parameter: "sort" }],
  ["has=ssn", 403, { code: "FORBIDDEN_FIELD", detail: 'Not allowed to filter by "ssn".', parameter: "has" }],
  // hidden = unknown
  ["plan=1", 400, { code: "UNKNOWN_FIELD", detail: 'Unknown field "plan" in "plan".', parameter: "plan" }],
  ["secret=1", 400, { code: "UNKNOWN_FIELD", detail: 'Unknown field "secret" in "secret".', parameter: "secret" }],
];
