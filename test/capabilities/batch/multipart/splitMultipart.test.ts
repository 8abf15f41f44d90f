import { describe, expect, test } from "vitest";
import { splitMultipart } from "../../../../src/capabilities/batch/multipart/splitMultipart.js";
import { problemFrom } from "../../../ground/http/problemFrom.js";
import { crlf } from "./multipartRequest.js";

const split = (body: string, boundary = "b", most = 10) =>
  splitMultipart(Buffer.from(body), boundary, most).map((part) => Buffer.from(part).toString());

describe("a multipart body", () => {
  test("is split as the RFC's own example shows", () => {
    const body = crlf(
      "This is the preamble.  It is to be ignored, though it",
      "is a handy place for composition agents to include an",
      "explanatory note to non-MIME conformant readers.",
      "",
      "--simple boundary",
      "",
      "This is implicitly typed plain US-ASCII text.",
      "It does NOT end with a linebreak.",
      "--simple boundary",
      "Content-type: text/plain; charset=us-ascii",
      "",
      "This is explicitly typed plain US-ASCII text.",
      "It DOES end with a linebreak.",
      "",
      "--simple boundary--",
      "",
      "This is the epilogue.  It is also to be ignored.",
    );
    expect(split(body, "simple boundary")).toEqual([
      "\r\nThis is implicitly typed plain US-ASCII text.\r\nIt does NOT end with a linebreak.",
      "Content-type: text/plain; charset=us-ascii\r\n\r\nThis is explicitly typed plain US-ASCII text.\r\nIt DOES end with a linebreak.\r\n",
    ]);
  });

  test.each([
    ["ends without a line break", "--b\r\nx\r\n--b--", ["x"]],
    ["has bare line feeds", "--b\nx\n\n--b\ny\n--b--\n", ["x\n", "y"]],
    ["has whitespace behind its boundaries", "--b \t\r\nx\r\n--b\t\ny\r\n--b-- \t", ["x", "y"]],
    ["has an empty part", "--b\r\n\r\n--b--", [""]],
    ["has a part without even a line break", "--b\r\n--b\n--b--", ["", ""]],
    ["has a boundary within a line", "--b\r\nx --b\r\nx--b--\r\n--b--", ["x --b\r\nx--b--"]],
    ["has other dashes at the start of a line", "--b\r\n--a\r\n-b\r\n---b\r\n--\r\n--b--", ["--a\r\n-b\r\n---b\r\n--"]],
    ["has a boundary behind a bare CR", "--b\r\nx\r--b--\r\n--b--", ["x\r--b--"]],
    ["has a preamble that is one empty line", "\r\n--b\r\nx\r\n--b--", ["x"]],
    ["has an epilogue with more boundaries", "--b\r\nx\r\n--b--\r\n--b\r\ny\r\n--b--", ["x"]],
  ])("that %s is split", (_name, body, parts) => {
    expect(split(body)).toEqual(parts);
  });

  test("may have a boundary that ends like a closing one", () => {
    expect(split("--b--\r\nx\r\n--b----\r\n", "b--")).toEqual(["x"]);
  });

  test("is not copied", () => {
    const body = new Uint8Array(Buffer.from("..--b\r\nx\r\n--b--")).subarray(2);
    expect(splitMultipart(body, "b", 1)[0]?.buffer).toBe(body.buffer);
  });

  test.each([
    ["is empty", "", "does not begin any line"],
    ["is JSON", '{"operations":[]}', "does not begin any line"],
    ["has another boundary", "--c\r\nx\r\n--c--", "does not begin any line"],
    ["is cut within its first boundary", "--b", "does not begin any line"],
    ["is cut within a part", "--b\r\nx\r\n--b\r\nGET /us", "closing boundary is missing"],
    ["is cut behind a boundary", "--b\r\nx\r\n--b", "closing boundary is missing"],
    ["is cut behind the line of a boundary", "--b\r\nx\r\n--b\r\n", "closing boundary is missing"],
    ["is cut within its closing boundary", "--b\r\nx\r\n--b-", "continues"],
    ["has a line that begins with the boundary", "--b\r\nx\r\n--bc\r\n--b--", "byte 8"],
    ["has text behind its closing boundary", "--b\r\nx\r\n--b--c", "continues"],
    ["has a bare CR behind a boundary", "--b\rx\r\n--b--", "continues"],
  ])("that %s is refused", (_name, body, detail) => {
    expect(problemFrom(() => split(body))).toMatchObject({ code: "INVALID_BATCH", status: 400, message: expect.stringContaining(detail) });
  });

  test.each(["--b--", "--b--\r\n", "preamble\r\n--b--\r\nepilogue"])("%j has no parts", (body) => {
    expect(problemFrom(() => split(body))).toMatchObject({ code: "EMPTY_BATCH", status: 400 });
  });

  test("has as many parts as are allowed, and is refused at the first one more, before anything behind it is looked at", () => {
    expect(split("--b\r\nx\r\n--b\r\ny\r\n--b--", "b", 2)).toHaveLength(2);
    const problem = problemFrom(() => split("--b\r\nx\r\n--b\r\ny\r\n--b\r\nz and no end", "b", 2));
    expect(problem).toMatchObject({ code: "BATCH_TOO_LARGE", status: 413, extensions: { maximum: 2 } });
  });
});
