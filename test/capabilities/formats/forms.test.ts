import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { type Answer, create, type Sent, stage } from "./stage.js";

const form = "application/x-www-form-urlencoded";
const { send } = stage();

function post(body: string, headers: Sent["headers"] = {}): Promise<Answer> {
  return send("/users", { method: "POST", headers: { "Content-Type": form, ...headers }, body });
}

function parts(...fields: readonly string[]): Sent {
  const body = fields.map((field) => `--b\r\nContent-Disposition: form-data; ${field}`).join("");
  return { method: "POST", headers: { "Content-Type": "multipart/form-data; boundary=b" }, body: `${body}--b--\r\n` };
}

describe("a form", () => {
  test.each<readonly [string, object]>([
    ["name=Ann&age=3", { name: "Ann", age: 3, newsletter: false, tags: [] }],
    ["name=Ann+%C3%A4%2B&age=", { name: "Ann ä+", age: null }],
    ["name=&age=3&rating=", { name: "", age: 3 }],
    ["name=007&age=-1&rating=1.50&newsletter=on", { name: "007", age: -1, rating: 1.5, newsletter: true }],
    ["name=A&age=1&newsletter=false", { newsletter: false }],
    ["name=A&age=1&tags=a&tags=b", { tags: ["a", "b"] }],
    ["name=A&age=1&tags[]=a", { tags: ["a"] }],
    ["name=A&age=1&tags=a", { tags: ["a"] }],
    ["name=A&age=1&tags=", { tags: [] }],
    ["name=A&age=1&tags[]=", { tags: [""] }],
    ["name=A&age=1&tags[0]=a&tags[1]=b", { tags: ["a", "b"] }],
    ["name=A&age=1&address[city]=Bonn&address[geo][lat]=50.7", { address: { city: "Bonn", geo: { lat: 50.7 } } }],
    ["name=A&age=1&address%5Bcity%5D=Bonn", { address: { city: "Bonn" } }],
    ["name=A&age=1&address[city]=Bonn&address[zip]=", { address: { city: "Bonn", zip: "" } }],
    [
      "name=A&age=1&lines[1][sku]=b&lines[1][quantity]=2&lines[0][sku]=a&lines[0][quantity]=1",
      {
        lines: [
          { sku: "a", quantity: 1 },
          { sku: "b", quantity: 2 },
        ],
      },
    ],
    ["name=A&age=1&scores[a]=1&scores[constructor]=2", { scores: { a: 1, constructor: 2 } }],
    ["name=A&age=1&born=2020-02-03", { born: "2020-02-03T00:00:00.000Z" }],
    ["name=A&age=1&either=7", { either: 7 }],
    ["name=A&age=1&either=007", { either: "007" }],
    ["name=A&age=1&either[]=7", { either: ["7"] }],
    ["name=A&age=1&any[x][]=1&any[y]=2", { any: { x: ["1"], y: "2" } }],
    ["&&name=A&age=1&", { name: "A" }],
  ])("%s creates the row that JSON would", async (body, expected) => {
    const { status, text } = await post(body);
    expect([status, text]).toEqual([201, text]);
    expect(JSON.parse(text)).toMatchObject(expected);
  });

  test.each([
    ["name=A&name=B&age=1", 400, "MALFORMED_FORM", "/name"],
    ["name=%FF&age=1", 400, "MALFORMED_FORM", ""],
    ["name=%&age=1", 400, "MALFORMED_FORM", ""],
    ["name=%ZZ", 400, "MALFORMED_FORM", ""],
    ["name=A&age=1&address=Bonn&address[city]=Bonn", 400, "MALFORMED_FORM", "/address"],
    ["name=A&age=1&address[city]=Bonn&address=x", 400, "MALFORMED_FORM", "/address"],
    ["name=A&age=1&address[city=x", 400, "MALFORMED_FORM", ""],
    ["name=A&age=1&address]=x", 400, "MALFORMED_FORM", ""],
    ["name=A&age=1&lines[][sku]=x", 400, "MALFORMED_FORM", ""],
    ["=x", 400, "MALFORMED_FORM", ""],
    [`a${"[b]".repeat(64)}=x`, 400, "MALFORMED_FORM", ""],
    ["a&".repeat(20_001), 400, "MALFORMED_FORM", ""],
    [Array.from({ length: 1_001 }, (_, index) => `a${index}=1`).join("&"), 400, "MALFORMED_FORM", ""],
    ["__proto__=x&name=A&age=1", 400, "MALFORMED_FORM", "/__proto__"],
    ["__proto__[polluted]=x&name=A&age=1", 400, "MALFORMED_FORM", "/__proto__"],
    ["constructor[prototype][polluted]=x", 400, "MALFORMED_FORM", "/constructor"],
    ["name=A%00&age=1", 422, "VALIDATION_FAILED", "/name"],
    ["name=A&age=x", 422, "VALIDATION_FAILED", "/age"],
    ["name=A", 422, "VALIDATION_FAILED", "/age"],
    ["", 422, "VALIDATION_FAILED", "/name"],
    ["name=A&age=1&nmae=x", 422, "VALIDATION_FAILED", "/nmae"],
    ["name=A&age=1&lines[1][sku]=x", 422, "VALIDATION_FAILED", "/lines"],
    ["name=A&age=1&address[city]=x&address[geo][lat]=north", 422, "VALIDATION_FAILED", "/address/geo/lat"],
    ["id=7&name=A&age=1", 422, "VALIDATION_FAILED", "/id"],
  ])("%.60s is refused with %i %s at %s", async (body, status, code, pointer) => {
    const answer = await post(body);
    expect([answer.status, answer.json.code, answer.json.errors[0].pointer ?? ""]).toEqual([status, code, pointer]);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test.each(['{"name":"Ann"}', ' [{"name":"Ann"}]'])("that is JSON is 415 with a hint", async (body) => {
    const { status, json } = await post(body);
    expect([status, json.code, json.errors[0].hint]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE", expect.stringContaining("curl -d")]);
  });

  test("must be UTF-8, by its charset and by its bytes", async () => {
    expect((await post("name=A&age=1", { "Content-Type": `${form}; charset=utf-8` })).status).toBe(201);
    expect((await post("name=A&age=1", { "Content-Type": `${form}; charset=iso-8859-1` })).status).toBe(415);
    const bytes = await send("/users", { method: "POST", headers: { "Content-Type": form }, body: Buffer.from("name=\xff&age=1", "latin1") });
    expect([bytes.status, bytes.json.code]).toEqual([400, "MALFORMED_FORM"]);
  });

  test("replaces a row, and cannot patch one", async () => {
    const id = await create(send, { name: "Ann", age: 3 });
    const put = await send(`/users/${id}`, { method: "PUT", headers: { "Content-Type": form }, body: "name=Bob&age=4&tags[]=x" });
    expect([put.status, put.json.name, put.json.tags]).toEqual([200, "Bob", ["x"]]);
    const patch = await send(`/users/${id}`, { method: "PATCH", headers: { "Content-Type": form }, body: "name=Bob" });
    expect([patch.status, patch.headers["accept-patch"]]).toEqual([
      415,
      "application/merge-patch+json, application/json-patch+json, application/json",
    ]);
  });

  test("is accepted by collections that say so only", async () => {
    const { status, json } = await send("/orders", { method: "POST", headers: { "Content-Type": form }, body: "userId=1" });
    expect([status, json.supported]).toEqual([415, ["application/json"]]);
    const users = await send("/users", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "x" });
    expect(users.json.supported).toEqual(["application/json", "application/xml", "text/xml", form, "multipart/form-data"]);
  });

  test.each([form, "multipart/form-data; boundary=b"])("of another origin is refused (%s)", async (type) => {
    for (const headers of [
      { "Sec-Fetch-Site": "cross-site" },
      { Origin: "https://evil.example", Host: "api.example" },
      { Origin: "null", Host: "a" },
    ]) {
      const { status, json } = await send("/users", { method: "POST", headers: { "Content-Type": type, ...headers }, body: "name=A&age=1" });
      expect([status, json.code]).toEqual([403, "CROSS_SITE_REQUEST"]);
    }
    const own = await post("name=A&age=1", { Origin: "https://api.example", Host: "api.example" });
    expect(own.status).toBe(201);
  });

  test("is done once under an Idempotency-Key", async () => {
    const key = { "Idempotency-Key": "form-0000-0000-0001" };
    const first = await post("name=Ann&age=3&tags[]=a", key);
    const again = await post("age=3&name=%41nn&tags=a", key);
    expect([again.status, again.json, again.headers["idempotent-replayed"]]).toEqual([201, first.json, "true"]);
    expect((await post("name=Bob&age=3", key)).json.code).toBe("IDEMPOTENCY_KEY_REUSED");
    expect((await post("name=Ann&age=3&tags=a", { ...key, Accept: "application/xml" })).json.code).toBe("IDEMPOTENCY_KEY_REUSED");
  });

  test.each<readonly [string, unknown]>([
    ["nested", { name: "A", age: "1", address: { city: "Bonn" }, tags: ["a", "b"], lines: [{ sku: "a", quantity: "2" }] }],
    ["flat", { name: "A", age: "1", "address[city]": "Bonn", "tags[]": ["a", "b"], "lines[0][sku]": "a", "lines[0][quantity]": "2" }],
    ["as text", "name=A&age=1&address[city]=Bonn&tags=a&tags=b&lines[0][sku]=a&lines[0][quantity]=2"],
  ])("that a body parser of the host has read (%s) is converted", async (_, parsed) => {
    for (const type of [form, "multipart/form-data; boundary=b"]) {
      const { status, json } = await send("/users", { method: "POST", headers: { "Content-Type": type }, parsed });
      expect([status, json]).toEqual([
        201,
        expect.objectContaining({ age: 1, address: { city: "Bonn" }, tags: ["a", "b"], lines: [{ sku: "a", quantity: 2 }] }),
      ]);
    }
    const wrong = await send("/users", { method: "POST", headers: { "Content-Type": form }, parsed: { name: ["a", "b"], age: "1" } });
    expect([wrong.status, wrong.json.code]).toEqual([400, "MALFORMED_FORM"]);
  });

  test("in parts creates a row, without files", async () => {
    const fields = ['name="name"\r\n\r\nAnn ä\r\n', 'name="age"\r\n\r\n3\r\n', 'name="tags[]"\r\n\r\na\r\n', 'name="address[city]"\r\n\r\nBonn\r\n'];
    const none = 'name="photo"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n';
    const { status, json } = await send("/users", parts(...fields, none));
    expect([status, json.name, json.age, json.tags, json.address]).toEqual([201, "Ann ä", 3, ["a"], { city: "Bonn" }]);
    const file = await send("/users", parts(...fields, 'name="photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx\r\n'));
    expect([file.status, file.json.code, file.json.errors[0].pointer, file.json.errors[0].hint]).toEqual([
      422,
      "VALIDATION_FAILED",
      "/photo",
      expect.any(String),
    ]);
    const latin = parts('name="name"\r\n\r\n\xff\r\n');
    expect((await send("/users", { ...latin, body: Buffer.from(String(latin.body), "latin1") })).json.code).toBe("MALFORMED_FORM");
    expect((await send("/users", { ...latin, body: "--c--" })).json.code).toBe("MALFORMED_MULTIPART");
  });
});

test("a form of texts, numbers and arrays has the value that it was written from", async () => {
  const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((value) => !value.includes("\0") && value.isWellFormed());
  const value = fc.record({ name: text, age: fc.integer(), tags: fc.array(text, { maxLength: 4 }), address: fc.record({ city: text, zip: text }) });
  await fc.assert(
    fc.asyncProperty(value, async ({ name, age, tags, address }) => {
      const sent = new URLSearchParams([
        ["name", name],
        ["age", String(age)],
        ...(tags.length === 0 ? [["tags", ""]] : tags.map((tag) => ["tags[]", tag])),
        ["address[city]", address.city],
        ["address[zip]", address.zip],
      ] as [string, string][]);
      const { status, json } = await post(sent.toString());
      expect([status, json.name, json.age, json.tags, json.address]).toEqual([201, name, age, tags, address]);
    }),
    { numRuns: propertyRuns(200) },
  );
});

test("whatever bytes a form has, it is never a fault of the server", async () => {
  const piece = fc.constantFrom("a", "name", "=", "&", "[", "]", "[]", "[0]", "%", "%41", "%ff", "+", "__proto__", "tags", "address", "{", "ä", "\0");
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
      const { status } = await post(pieces.join(""));
      expect([201, 400, 415, 422]).toContain(status);
    }),
    { numRuns: propertyRuns(500) },
  );
});
