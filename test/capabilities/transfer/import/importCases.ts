import { csv, json, ndjson, type SentFile } from "./importStage.js";

/** An import, and what comes of it however it is done. */
export interface ImportCase {
  readonly name: string;
  readonly query?: string;
  readonly who?: string;
  readonly file: SentFile;
  readonly before?: Readonly<Record<string, readonly object[]>>;
  readonly code?: string;
  readonly row?: number;
  /** Created, updated, skipped, failed. */
  readonly counts?: readonly number[];
  /** Row, line, and each fault with its field. */
  readonly errors?: readonly unknown[];
  /** Members of the rows of the collection that matter. */
  readonly after: readonly object[];
}

const ada = { email: "ada@x.test", name: "Ada", badge: "b1", age: 36, tags: ["a"], address: { city: "Bath", zip: "BA1" } };
const bob = { email: "bob@x.test", name: "Bob", badge: "b2" };
const both = { people: [ada, bob] };

const inserts: readonly ImportCase[] = [
  {
    name: "rows of CSV are added, with what each kind of cell means",
    file: csv(
      [
        "email,Name,age,vip,tags,address.city,address.zip,teamId,badge,createdAt",
        'ada@x.test,Ada,36,true,"[""a"",""b""]",Bath,,t1,007,2001-02-03T04:05:06Z',
        'bob@x.test," Bob ",,0,a|b,,,,,',
        "",
        'eve@x.test,"E\nve",+1,,,"Rome, IT",00100,,"",',
      ].join("\r\n"),
    ),
    before: { teams: [{ id: "t1" }] },
    counts: [3, 0, 0, 0],
    after: [
      {
        email: "ada@x.test",
        name: "Ada",
        age: 36,
        vip: true,
        tags: ["a", "b"],
        address: { city: "Bath" },
        teamId: "t1",
        badge: "007",
        createdAt: "2001-02-03T04:05:06.000Z",
      },
      { email: "bob@x.test", name: " Bob ", age: null, vip: false, tags: ["a", "b"], badge: null },
      { email: "eve@x.test", name: "E\nve", age: 1, tags: [], address: { city: "Rome, IT", zip: "00100" }, badge: "" },
    ],
  },
  {
    name: "rows of NDJSON are added, and those left out that are none",
    file: ndjson(ada, "", "{nonsense", { ...bob, shoe: 7 }, { ...bob, id: 7 }, '{"email":"bob@x.test","name":"B\\u0000b"}', [1], bob),
    counts: [2, 0, 0, 5],
    errors: [
      [2, 3, "MALFORMED_JSON"],
      [3, 4, "VALIDATION_FAILED shoe"],
      [4, 5, "VALIDATION_FAILED id"],
      [5, 6, "VALIDATION_FAILED name"],
      [6, 7, "ROW_NOT_OBJECT"],
    ],
    after: [ada, bob],
  },
  {
    name: "the items of a JSON array are added",
    file: json([ada, 1, bob]),
    counts: [2, 0, 0, 1],
    errors: [[2, 1, "ROW_NOT_OBJECT"]],
    after: [ada, bob],
  },
  { name: "an empty array is imported", file: json([]), counts: [0, 0, 0, 0], after: [] },
  { name: "a header without rows is imported", file: csv("email,name"), counts: [0, 0, 0, 0], after: [] },
  {
    name: "what the schema refuses is told with each field",
    file: csv("email,name,age\nada,,x\nada@x.test,Ada\nada@x.test,Ada,-1\nbob@x.test,Bob,1,2\nada@x.test,A\0,1\nada@x.test,Ada,1"),
    counts: [1, 0, 0, 5],
    errors: [
      [1, 2, "VALIDATION_FAILED email", "VALIDATION_FAILED name", "VALIDATION_FAILED age"],
      [2, 3, "ROW_WIDTH"],
      [3, 4, "VALIDATION_FAILED age"],
      [4, 5, "ROW_WIDTH"],
      [5, 6, "VALIDATION_FAILED name"],
    ],
    after: [{ name: "Ada", age: 1 }],
  },
  {
    name: "the first of rows with one key wins, whatever its case",
    before: { people: [bob] },
    file: csv("email,name,badge\nADA@x.test,Ada,b1\nada@X.test,Eve,\nbob@x.test,Bob,\neve@x.test,Eve,b1\nmax@x.test,Max,"),
    counts: [2, 0, 0, 3],
    errors: [
      [2, 3, "DUPLICATE_EMAIL email"],
      [3, 4, "DUPLICATE_EMAIL email"],
      [4, 5, "DUPLICATE_BADGE badge"],
    ],
    after: [bob, { email: "ADA@x.test", badge: "b1" }, { email: "max@x.test" }],
  },
  {
    name: "an id that no path can name is refused",
    query: "collection=nodes",
    file: ndjson({ id: ".." }, { id: "." }, { id: "ok" }),
    counts: [1, 0, 0, 2],
    errors: [
      [1, 1, "VALIDATION_FAILED id"],
      [2, 2, "VALIDATION_FAILED id"],
    ],
    after: [{ id: "ok" }],
  },
];

const merges: readonly ImportCase[] = [
  {
    name: "upsert adds and changes, and says of each which",
    query: "mode=upsert&key=email",
    before: both,
    file: csv("email,name,age,tags,address.zip,address.city\nADA@X.test,Ada L.,,b|c,BA2,Bath\neve@x.test,Eve,5,,,\nBob@x.test,Bob,7,,,"),
    counts: [1, 2, 0, 0],
    after: [
      // An empty cell says null where that may be, and nothing elsewhere; the key stays as it was written.
      { ...ada, name: "Ada L.", age: null, tags: ["b", "c"], address: { city: "Bath", zip: "BA2" } },
      { ...bob, age: 7 },
      { email: "eve@x.test", name: "Eve", age: 5, badge: null },
    ],
  },
  {
    name: "keys in another Unicode form are the same",
    query: "mode=upsert&key=badge",
    before: {
      people: [
        { ...ada, badge: "\u00e9" },
        { ...bob, badge: "u\u0308" },
      ],
    },
    file: ndjson({ badge: "e\u0301", name: "Ada L." }, { badge: "\u00fc", age: 7 }, { badge: "\u00fc", age: 8 }),
    counts: [0, 3, 0, 0],
    after: [
      { ...ada, name: "Ada L.", badge: "\u00e9" },
      { ...bob, age: 8, badge: "u\u0308" },
    ],
  },
  {
    name: "ids in other Unicode forms are others",
    query: "collection=nodes&mode=upsert&key=id",
    file: ndjson({ id: "\u00e9", size: 1 }, { id: "e\u0301", size: 2 }, { id: "\u00e9", size: 3 }, { id: "e\u0301", size: 4 }),
    counts: [2, 2, 0, 0],
    after: [
      { id: "e\u0301", size: 4 },
      { id: "\u00e9", size: 3 },
    ],
  },
  {
    name: "upsert merges each row into what the ones before have made, in one chunk too",
    query: "mode=upsert&key=email",
    file: ndjson(
      { email: "ada@x.test", name: "Ada", age: 1 },
      { email: "ADA@x.test", address: { city: "Bath" } },
      { email: "ada@X.test", address: { zip: "BA1" }, age: 2 },
      { email: "bob@x.test", age: 3 },
      { email: "bob@x.test", name: "Bob" },
    ),
    counts: [2, 2, 0, 1],
    errors: [[4, 4, "VALIDATION_FAILED name"]],
    after: [{ email: "ada@x.test", name: "Ada", age: 2, address: { city: "Bath", zip: "BA1" } }, { name: "Bob" }],
  },
  {
    name: "upsert knows a key in other letters, whatever else a row says or lacks",
    query: "mode=upsert&key=email",
    before: both,
    file: ndjson({ email: "ADA@x.test", age: 7 }, { email: "BOB@x.test", name: "Rob", badge: "b2" }, { email: "EVE@x.test", age: 7 }),
    counts: [0, 2, 0, 1],
    errors: [[3, 3, "VALIDATION_FAILED name"]],
    after: [
      { ...ada, age: 7 },
      { ...bob, name: "Rob" },
    ],
  },
  {
    name: "upsert goes by the order of the file where other keys are changed",
    query: "mode=upsert&key=email",
    before: both,
    file: csv("email,name,badge\nada@x.test,Ada,b3\neve@x.test,Eve,b1\nbob@x.test,Bob,b4\nmax@x.test,Max,b4\nivy@x.test,Ivy,b2"),
    counts: [2, 2, 0, 1],
    errors: [[4, 5, "DUPLICATE_BADGE badge"]],
    after: [{ badge: "b3" }, { badge: "b4" }, { name: "Eve", badge: "b1" }, { name: "Ivy", badge: "b2" }],
  },
  {
    name: "a row whose key could not be imported keeps those from being so that change it",
    query: "mode=upsert&key=email",
    before: { people: [bob] },
    file: csv("email,name,badge\nada@x.test,Ada,b2\nada@x.test,Ada,b5"),
    counts: [0, 0, 0, 2],
    errors: [
      [1, 2, "DUPLICATE_BADGE badge"],
      [2, 3, "CONFLICT"],
    ],
    after: [bob],
  },
  {
    name: "upsert by an id that files may bring adds under it",
    query: "collection=nodes&mode=upsert&key=id",
    before: { nodes: [] },
    file: csv("id,size\nx,1\ny,2\nx,3"),
    counts: [2, 1, 0, 0],
    after: [
      { id: "x", size: 3 },
      { id: "y", size: 2 },
    ],
  },
  {
    name: "upsert by an id that only the server gives adds nothing",
    query: "mode=upsert&key=id",
    file: csv("id,email,name\n99999999,ada@x.test,Ada\n,bob@x.test,Bob\nx,bob@x.test,Bob"),
    counts: [0, 0, 0, 3],
    errors: [
      [1, 2, "NOT_FOUND id"],
      [2, 3, "VALIDATION_FAILED id"],
      [3, 4, "VALIDATION_FAILED id"],
    ],
    after: [],
  },
  {
    name: "update changes what a row says, members of objects too, and adds nothing",
    query: "mode=update&key=badge",
    before: both,
    file: csv("badge,address.zip\nb1,BA9\nb3,BA9\n,x"),
    counts: [0, 1, 0, 2],
    errors: [
      [2, 3, "NOT_FOUND badge"],
      [3, 4, "VALIDATION_FAILED badge"],
    ],
    after: [{ ...ada, address: { city: "Bath", zip: "BA9" } }, bob],
  },
  {
    name: "update refuses a row that it would make invalid",
    query: "mode=update&key=email",
    before: both,
    file: ndjson({ email: "bob@x.test", address: { zip: "1" } }, { email: "ada@x.test", name: null }, { email: "ada@x.test", badge: "b2" }),
    counts: [0, 0, 0, 3],
    errors: [
      [1, 1, "VALIDATION_FAILED address.city"],
      [2, 2, "VALIDATION_FAILED name"],
      [3, 3, "DUPLICATE_BADGE badge"],
    ],
    after: [ada, bob],
  },
  {
    name: "a row with nothing but its key is skipped, and one with a date that files may set is not",
    query: "mode=update&key=email",
    before: both,
    file: ndjson({ email: "ada@x.test" }, { email: "bob@x.test", createdAt: "2001-01-01T00:00:00Z" }),
    counts: [0, 1, 1, 0],
    after: [ada, { ...bob, createdAt: "2001-01-01T00:00:00.000Z" }],
  },
  {
    name: "rows that would be the same are left alone where that is asked for",
    query: "mode=upsert&key=email&skipUnchanged=true",
    before: both,
    file: csv('email,name,age,tags,address\nada@x.test,Ada,36,a,"{""zip"":""BA1""}"\nbob@x.test,Bob,1,,\nbob@x.test,Bob,1,,'),
    counts: [0, 1, 2, 0],
    after: [ada, { ...bob, age: 1 }],
  },
];

const two = "email,name\nada@x.test,Ada\nbob@x.test,Bob\n";

const options: readonly ImportCase[] = [
  {
    name: "offset passes rows over",
    query: "offset=1",
    file: csv(`${two}x,\n`),
    counts: [1, 0, 0, 1],
    errors: [[3, 4, "VALIDATION_FAILED email", "VALIDATION_FAILED name"]],
    after: [{ name: "Bob" }],
  },
  { name: "offset beyond the end imports nothing", query: "offset=7", file: csv(two), counts: [0, 0, 0, 0], after: [] },
  {
    name: "delimiter and map",
    query: "delimiter=;&map[E-Mail]=email&map[name]=name",
    file: csv("E-Mail;name\nada@x.test;A,B\n"),
    counts: [1, 0, 0, 0],
    after: [{ name: "A,B" }],
  },
  {
    name: "map of members of JSON",
    query: "map[mail]=email",
    file: ndjson({ mail: "ada@x.test", name: "Ada" }, { mail: "bob@x.test", email: "x@x.test", name: "Bob" }),
    counts: [1, 0, 0, 1],
    errors: [[2, 2, "VALIDATION_FAILED email"]],
    after: [{ name: "Ada" }],
  },
  {
    name: "unknown columns are left out where that is asked for",
    query: "unknownColumns=ignore",
    file: csv("id,email,name,,shoe,shoe,__proto__,pin\n7,ada@x.test,Ada,1,2,3,4,5\n"),
    counts: [1, 0, 0, 0],
    after: [{ name: "Ada" }],
  },
  {
    name: "unknown members are left out where that is asked for",
    query: "unknownColumns=ignore",
    file: ndjson({ id: 7, email: "ada@x.test", name: "Ada", shoe: 1, pin: "5" }),
    counts: [1, 0, 0, 0],
    after: [{ name: "Ada" }],
  },
  { name: "formulas=literal keeps apostrophes", file: csv("email,name\nada@x.test,'=1+1\n"), counts: [1, 0, 0, 0], after: [{ name: "'=1+1" }] },
  {
    name: "formulas=escaped takes one away, of names of columns too",
    query: "formulas=escaped&map[%3Dmail]=email",
    file: csv("'=mail,name\nada@x.test,'=1+1\nbob@x.test,''=x\neve@x.test,'x\n"),
    counts: [3, 0, 0, 0],
    after: [{ name: "=1+1" }, { name: "'=x" }, { name: "'x" }],
  },
  {
    name: "as many errors as may be are told",
    query: "maxErrors=2",
    file: csv(`${two}x,X\nx,X\n`),
    counts: [2, 0, 0, 2],
    errors: [
      [3, 4, "VALIDATION_FAILED email"],
      [4, 5, "VALIDATION_FAILED email"],
    ],
    after: [{ name: "Ada" }, { name: "Bob" }],
  },
  {
    name: "more errors end it, and what was imported stays",
    query: "maxErrors=1",
    file: csv(`${two}x,X\nx,X\n`),
    code: "TOO_MANY_ERRORS",
    row: 4,
    counts: [2, 0, 0, 2],
    errors: [
      [3, 4, "VALIDATION_FAILED email"],
      [4, 5, "VALIDATION_FAILED email"],
    ],
    after: [{ name: "Ada" }, { name: "Bob" }],
  },
];

/** Everything that needs no transaction. */
export const importCases: readonly ImportCase[] = [...inserts, ...merges, ...options];

/** What is taken back, or all or none, or enforced within the transaction. */
export const transactionCases: readonly ImportCase[] = [
  {
    name: "rows that others name must be there",
    before: { teams: [{ id: "t1" }] },
    file: csv("email,name,teamId\nada@x.test,Ada,t1\nbob@x.test,Bob,t2\neve@x.test,Eve,"),
    counts: [2, 0, 0, 1],
    errors: [[2, 3, "UNKNOWN_REFERENCE teamId"]],
    after: [{ teamId: "t1" }, { teamId: null }],
  },
  {
    name: "a row may name one of the file that stands before it",
    query: "collection=nodes",
    file: csv("id,parentId\nb,\na,b\nc,d\nd,a\ne,c"),
    counts: [3, 0, 0, 2],
    errors: [
      [3, 4, "UNKNOWN_REFERENCE parentId"],
      [5, 6, "UNKNOWN_REFERENCE parentId"],
    ],
    after: [
      { id: "a", parentId: "b" },
      { id: "b", parentId: null },
      { id: "d", parentId: "a" },
    ],
  },
  {
    name: "a merge may change what a row of its own names",
    query: "collection=nodes&mode=upsert&key=id",
    before: {},
    file: csv("id,parentId\na,\nb,a\na,b\nb,x"),
    counts: [2, 1, 0, 1],
    errors: [[4, 5, "UNKNOWN_REFERENCE parentId"]],
    after: [
      { id: "a", parentId: "b" },
      { id: "b", parentId: "a" },
    ],
  },
  {
    name: "a dry run judges everything, the store's keys too, and keeps nothing",
    query: "dryRun=true",
    before: { people: [bob] },
    file: csv("email,name\nada@x.test,Ada\nada@x.test,Eve\nbob@x.test,Bob\nx,\n"),
    counts: [1, 0, 0, 3],
    errors: [
      [2, 3, "DUPLICATE_EMAIL email"],
      [3, 4, "DUPLICATE_EMAIL email"],
      [4, 5, "VALIDATION_FAILED email", "VALIDATION_FAILED name"],
    ],
    after: [bob],
  },
  {
    name: "a dry run changes nothing either",
    query: "dryRun=true&mode=upsert&key=email",
    before: both,
    file: csv("email,name\nada@x.test,Eve\nmax@x.test,Max\n"),
    counts: [1, 1, 0, 0],
    after: [ada, bob],
  },
  { name: "all are imported", query: "onError=stop", file: csv(two), counts: [2, 0, 0, 0], after: [{ name: "Ada" }, { name: "Bob" }] },
  {
    name: "or none, for a row that the schema refuses",
    query: "onError=stop",
    file: csv(`${two}eve@x.test,\n`),
    code: "IMPORT_REJECTED",
    row: 3,
    errors: [[3, 4, "VALIDATION_FAILED name"]],
    after: [],
  },
  {
    name: "or none, for a key that is taken",
    query: "onError=stop",
    before: { people: [bob] },
    file: csv(two),
    code: "IMPORT_REJECTED",
    row: 2,
    errors: [[2, 3, "DUPLICATE_EMAIL email"]],
    after: [bob],
  },
  {
    name: "or none, for a key that is there twice",
    query: "onError=stop",
    file: csv(`${two}ADA@x.test,Ada\n`),
    code: "IMPORT_REJECTED",
    row: 3,
    errors: [[3, 4, "DUPLICATE_EMAIL email"]],
    after: [],
  },
  {
    name: "or none, for a row that is not there to be changed",
    query: "onError=stop&mode=update&key=email",
    before: { people: [bob] },
    file: csv("email,name\nbob@x.test,Rob\nada@x.test,Ada\n"),
    code: "IMPORT_REJECTED",
    row: 2,
    errors: [[2, 3, "NOT_FOUND email"]],
    after: [bob],
  },
  { name: "all or none, tried only", query: "onError=stop&dryRun=true", file: csv(two), counts: [2, 0, 0, 0], after: [] },
  {
    name: "all or none, tried only, with a row that fails",
    query: "onError=stop&dryRun=true",
    file: csv(`${two}ada@x.test,Ada\n`),
    code: "IMPORT_REJECTED",
    row: 3,
    errors: [[3, 4, "DUPLICATE_EMAIL email"]],
    after: [],
  },
];
