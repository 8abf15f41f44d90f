import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundaryFor, parseMultipartType } from "../../../../src/capabilities/batch/multipart/multipartBoundary.js";
import { writeMultipartBatch } from "../../../../src/capabilities/batch/multipart/writeMultipartBatch.js";
import { problemFrom } from "../../../ground/http/problemFrom.js";

describe("the Content-Type of a multipart batch", () => {
  test.each([
    ["multipart/mixed; boundary=batch_foobarbaz", "mixed", "batch_foobarbaz"],
    ['Multipart/Mixed; BOUNDARY="gc0pJq0M:08jU534c0p"', "mixed", "gc0pJq0M:08jU534c0p"],
    ["multipart/mixed; boundary=gc0pJq0M:08jU534c0p", "mixed", "gc0pJq0M:08jU534c0p"],
    ['multipart/mixed; boundary="===============7330845974216740156=="', "mixed", "===============7330845974216740156=="],
    ['multipart/mixed; charset="utf-8"; boundary="with space"; x=y', "mixed", "with space"],
    ["multipart/form-data; boundary=----formdata-undici-064492607086", "form-data", "----formdata-undici-064492607086"],
    [`multipart/mixed; boundary=${"a".repeat(70)}`, "mixed", "a".repeat(70)],
  ])("%s", (contentType, subtype, boundary) => {
    expect(parseMultipartType(contentType)).toEqual({ subtype, boundary });
  });

  test.each([
    ["", "multipart/mixed"],
    ["application/json", "multipart/mixed"],
    ["multipart/related; boundary=b", "multipart/mixed"],
    ["multipart/mixed", '"boundary" parameter'],
    ["multipart/mixed; boundary*=b", '"boundary" parameter'],
    ['multipart/mixed; boundary="open', '"boundary" parameter'],
    ["multipart/mixed; boundary=", "1 to 70"],
    ['multipart/mixed; boundary="ends in space "', "1 to 70"],
    ['multipart/mixed; boundary="a\\\r\nb"', "1 to 70"],
    ["multipart/mixed; boundary=a[b]", "1 to 70"],
    ["multipart/mixed; boundary=\u00fc", "1 to 70"],
    [`multipart/mixed; boundary=${"a".repeat(71)}`, "1 to 70"],
    ["multipart/mixed; boundary=a; boundary=b", "once"],
    ["multipart/mixed; boundary=a; boundary*0=b", "once"],
    ['multipart/mixed; boundary=a;\tBoundary ="a"', "once"],
  ])("%j is refused", (contentType, detail) => {
    const problem = problemFrom(() => parseMultipartType(contentType));
    expect(problem).toMatchObject({ code: "INVALID_BATCH", status: 400, message: expect.stringContaining(detail) });
  });
});

describe("a boundary for an answer", () => {
  const result = (body: string | null) => ({ index: 0, status: 200, headers: {}, body });

  test("is the same for the same results, and one that Content-Type needs no quotes for", () => {
    expect(boundaryFor([result("{}")])).toBe("batch_00000000");
  });

  test("steps around every number that a body, a header or a name holds", () => {
    const results = [
      result("--batch_00000000 batch_00000002 batch_batch_00000001"),
      {
        index: 1,
        name: "batch_00000003",
        status: 200,
        headers: { location: "/batch_00000004", "--batch_00000005": "", via: ["batch_00000006"] },
        body: null,
      },
    ];
    expect(boundaryFor(results)).toBe("batch_00000007");
  });

  test("occurs in the text only where a part begins or the whole ends", () => {
    const nasty = fc.array(fc.constantFrom("batch_", "0000000", "0", "1", "2", "--", "\r\n", "x")).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.array(nasty), (bodies) => {
        const results = bodies.map((body, index) => ({ index, status: 200, headers: { "x-echo": body }, name: body, body }));
        const boundary = boundaryFor(results);
        expect(writeMultipartBatch(results, boundary).split(boundary)).toHaveLength(results.length + 2);
      }),
    );
  });
});
