import { describe, expect, test } from "vitest";
import { type Answer, create, type Sent, stage } from "./stage.js";

const { send } = stage();
const type = "application/xml";
const valid = "<name>Ann</name><age>3</age>";

function post(body: string | Uint8Array, headers: Sent["headers"] = {}): Promise<Answer> {
  return send("/users", { method: "POST", headers: { "Content-Type": type, ...headers }, body });
}

const user = (content: string) => `<user>${content}</user>`;

describe("an XML body", () => {
  test.each<readonly [string, object]>([
    [user(valid), { name: "Ann", age: 3, tags: [], newsletter: false }],
    [
      `\uFEFF<?xml version="1.0" encoding="utf-8" standalone='yes'?>\n<!-- a --><user>\n ${valid}\n <tags/>\n</user>\n<!-- b -->`,
      { name: "Ann", tags: [] },
    ],
    [user("<name/><age xsi:nil='true'/>"), { name: "", age: null }],
    [`<user xmlns="urn:x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${valid}</user>`, { name: "Ann" }],
    [user("<name> a\r\nb </name><age> 3 </age>"), { name: " a\nb ", age: 3 }],
    [user("<name>&lt;&amp;&gt;&quot;&apos;&#65;&#x1F600;&#13;</name><age>1</age>"), { name: `<&>"'A😀\r` }],
    [user("<name><![CDATA[<b>&amp;]]></name><age>1</age>"), { name: "<b>&amp;" }],
    [user("<name>a<!-- x -->b<![CDATA[c]]>d</name><age>1</age>"), { name: "abcd" }],
    [user(`${valid}<tags><item>a</item><item/></tags>`), { tags: ["a", ""] }],
    [user(`${valid}<address><city>Bonn</city><geo><lat>50.7</lat></geo></address>`), { address: { city: "Bonn", geo: { lat: 50.7 } } }],
    [user(`${valid}<lines><item><sku>a</sku><quantity>2</quantity></item></lines>`), { lines: [{ sku: "a", quantity: 2 }] }],
    [user(`${valid}<scores><a>1</a><member name="b c">2</member></scores>`), { scores: { a: 1, "b c": 2 } }],
    [user(`${valid}<newsletter>true</newsletter><rating>1e2</rating>`), { newsletter: true, rating: 100 }],
    [user(`${valid}<any type="array"><item type="number">1</item><item>2</item></any>`), { any: [1, "2"] }],
    [user(`<name encoding="json">a\\u0001</name><age>1</age>`), { name: "a\u0001" }],
    [user(`${valid}<born>2020-02-03T04:05:06Z</born>`), { born: "2020-02-03T04:05:06.000Z" }],
    [user(`${valid}<either>7</either>`), { either: 7 }],
    [user(`${valid}<either><item>7</item></either>`), { either: ["7"] }],
    [user(`${valid}<any><hasOwnProperty>a</hasOwnProperty><toString>b</toString></any>`), { any: { hasOwnProperty: "a", toString: "b" } }],
  ])("%.80s creates the row that JSON would", async (body, expected) => {
    const { status, text } = await post(body);
    expect([status, text]).toEqual([201, text]);
    expect(JSON.parse(text)).toMatchObject(expected);
  });

  test.each([
    [user("<name>A</name><age>x</age>"), 422, "VALIDATION_FAILED", "/age"],
    [user("<name><b>x</b></name><age>1</age>"), 422, "VALIDATION_FAILED", "/name"],
    [user(`${valid}<tags><tag>a</tag></tags>`), 422, "VALIDATION_FAILED", "/tags"],
    [user(`${valid}<tags>a</tags>`), 422, "VALIDATION_FAILED", "/tags"],
    [user(`${valid}<address><city>a</city><geo><lat>north</lat></geo></address>`), 422, "VALIDATION_FAILED", "/address/geo/lat"],
    [user(`${valid}<other>a</other>`), 422, "VALIDATION_FAILED", "/other"],
    ["<user/>", 422, "VALIDATION_FAILED", "/name"],
    [`<order>${valid}</order>`, 400, "MALFORMED_XML", ""],
    [user(`${valid}<name>B</name>`), 400, "MALFORMED_XML", "/name"],
    [user(`${valid}<address>x<city>a</city></address>`), 400, "MALFORMED_XML", "/address"],
    [user(`x${valid}`), 400, "MALFORMED_XML", ""],
    ["<user>x</user>", 400, "MALFORMED_XML", ""],
    [user('<name xsi:nil="true">x</name>'), 400, "MALFORMED_XML", "/name"],
    [user('<name type="date">x</name>'), 400, "MALFORMED_XML", "/name"],
    [user('<name encoding="json">"</name>'), 400, "MALFORMED_XML", "/name"],
    [user('<member name="__proto__">x</member>'), 400, "MALFORMED_XML", "/__proto__"],
    [user("<__proto__><polluted>x</polluted></__proto__>"), 400, "MALFORMED_XML", ""],
    [user("<constructor><prototype>x</prototype></constructor>"), 400, "MALFORMED_XML", ""],
  ])("%.80s is refused with %i %s at %s", async (body, status, code, pointer) => {
    const answer = await post(body);
    expect([answer.status, answer.json.code, answer.json.errors[0].pointer ?? ""]).toEqual([status, code, pointer]);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test.each([
    ["nothing", ""],
    ["blanks", " \n"],
    ["text", "hello"],
    ["JSON", '{"name":"Ann"}'],
    ["text before the root", `x${user(valid)}`],
    ["text behind the root", `${user(valid)}x`],
    ["two roots", `${user(valid)}${user(valid)}`],
    ["an element without an end", "<user><name>A</user>"],
    ["crossed elements", "<user><a><b></a></b></user>"],
    ["no end of the root", "<user><name>A</name>"],
    ["a tag without an end", "<user><name"],
    ["an end only", "</user>"],
    ["an attribute without quotes", "<user><name type=string>A</name></user>"],
    ["an attribute without a value", "<user><name type>A</name></user>"],
    ["an attribute twice", `<user><name type="string" type="string">A</name></user>`],
    ["an unknown attribute", `<user id="7">${valid}</user>`],
    ["< in an attribute", `<user><name type="<">A</name></user>`],
    ["a prefix", `<x:user xmlns:x="urn:x">${valid}</x:user>`],
    ["a name that is none", "<user><1>A</1></user>"],
    ["a space before the name", "<user>< name>A</name></user>"],
    ["a DOCTYPE", `<!DOCTYPE user>${user(valid)}`],
    ["a DOCTYPE inside", "<user><!DOCTYPE user></user>"],
    ["a lower doctype", `<!doctype user>${user(valid)}`],
    ["an external entity", `<!DOCTYPE user [<!ENTITY x SYSTEM "file:///etc/passwd">]><user><name>&x;</name></user>`],
    ["a billion laughs", `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><user><name>&b;</name></user>`],
    ["an unknown entity", user("<name>&nbsp;</name>")],
    ["an entity without an end", user("<name>&amp</name>")],
    ["a lone ampersand", user("<name>a & b</name>")],
    ["a reference to NUL", user("<name>&#0;</name>")],
    ["a reference to half a pair", user("<name>&#xD800;</name>")],
    ["a reference beyond Unicode", user("<name>&#x110000;</name>")],
    ["a huge reference", user(`<name>&#${"9".repeat(1_000)};</name>`)],
    ["an entity in an attribute", user(`<name type="&x;">A</name>`)],
    ["a control character", user("<name>\u0001</name>")],
    ["U+FFFF", user("<name>\uFFFF</name>")],
    ["]]> in text", user("<name>]]></name>")],
    ["a CDATA section without an end", user("<name><![CDATA[x</name>")],
    ["a CDATA section outside", `<![CDATA[x]]>${user(valid)}`],
    ["a comment without an end", user("<!-- x")],
    ["a comment with --", user("<!-- a -- b -->")],
    ["a processing instruction", `<?xml-stylesheet href="x"?>${user(valid)}`],
    ["a declaration that is not first", ` <?xml version="1.0"?>${user(valid)}`],
    ["nesting that is too deep", `${"<a>".repeat(65)}${"</a>".repeat(65)}`],
    ["deep nesting without an end", "<a>".repeat(50_000)],
    ["too many elements", user("<a/>".repeat(2_000))],
    ["too many comments", user("<!---->".repeat(2_000))],
    ["too many CDATA sections", user(`<name>${"<![CDATA[x]]>".repeat(2_000)}</name>`)],
    ["too many attributes", `<user ${Array.from({ length: 17 }, (_, index) => `xmlns:a${index}="x"`).join(" ")}/>`],
  ])("with %s is 400", async (_, body) => {
    const { status, json } = await post(body);
    expect([status, json.code]).toEqual([400, "MALFORMED_XML"]);
  });

  test.each<readonly [string, string | Uint8Array, Sent["headers"]]>([
    ["Latin-1 by its declaration", `<?xml version="1.0" encoding="ISO-8859-1"?>${user(valid)}`, {}],
    ["UTF-16 by its mark", Buffer.from(`\uFEFF${user(valid)}`, "utf16le"), {}],
    ["Latin-1 by its charset", user(valid), { "Content-Type": "text/xml; charset=iso-8859-1" }],
  ])("in %s is 415", async (_, body, headers) => {
    expect((await post(body, headers)).json.code).toBe("UNSUPPORTED_MEDIA_TYPE");
  });

  test("that is not UTF-8 is 400, and one that is too large is 413", async () => {
    expect((await post(Buffer.from(user("<name>\xff</name>"), "latin1"))).json.code).toBe("MALFORMED_XML");
    const large = await post(user(`<name>${"x".repeat(262_144)}</name>`));
    expect([large.status, large.json.code, large.json.maximum]).toEqual([413, "PAYLOAD_TOO_LARGE", 262_144]);
  });

  test("that a body parser of the host has read as text is read; anything else is a fault of the server", async () => {
    const sent = { method: "POST", headers: { "Content-Type": type } };
    expect((await send("/users", { ...sent, parsed: user(valid) })).status).toBe(201);
    expect((await send("/users", { ...sent, parsed: { user: { name: ["Ann"] } } })).json.detail).toContain("body parsers");
  });

  test("replaces a row, cannot patch one, and is done once under a key", async () => {
    const id = await create(send, { name: "Ann", age: 3 });
    const headers = { "Content-Type": type, Accept: type };
    const put = await send(`/users/${id}`, { method: "PUT", headers, body: user("<name>Bob</name><age>4</age>") });
    expect([put.status, put.text.includes("<name>Bob</name>")]).toEqual([200, true]);
    expect((await send(`/users/${id}`, { method: "PATCH", headers, body: user(valid) })).status).toBe(415);
    const key = { "Idempotency-Key": "xml-0000-0000-0001", Accept: type };
    const first = await post(user(valid), key);
    const again = await post(`<user>\n<age>3</age><name><![CDATA[Ann]]></name></user>`, key);
    expect([again.status, again.text, again.headers["idempotent-replayed"]]).toEqual([201, first.text, "true"]);
    expect((await post(user("<name>B</name><age>3</age>"), key)).json.code).toBe("IDEMPOTENCY_KEY_REUSED");
  });
});
