// @slow

import { expect, test } from "vitest";

interface Amounts {
  bytesText(bytes: number): string;
  timeText(seconds: number): string;
}

const page = new URL("../../../examples/shop/page/amounts.js", import.meta.url).href;
const { bytesText, timeText }: Amounts = await import(page);

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [999.5, "1 kB"],
  [999_499, "999 kB"],
  [999_600, "1 MB"],
  [999_949_999, "999.9 MB"],
  [999_950_000, "1 GB"],
  [8_388_608, "8.4 MB"],
])("%d bytes are written as %s", (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

test.each([
  [1, "1 sec"],
  [59.4, "59 sec"],
  [59.5, "1 min"],
  [3_569, "59 min"],
  [3_570, "1 hr"],
])("%d seconds are written as %s", (seconds, text) => {
  expect(timeText(seconds)).toBe(text);
});
