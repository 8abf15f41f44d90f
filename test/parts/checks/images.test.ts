import fc from "fast-check";
import { imageSize, metadataCheck, pixelCheck, stripMetadata } from "restwright/checks";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { fileOf, judge, verdictOn } from "./samples/fileOf.js";
import {
  avif,
  bmp,
  exif,
  gif,
  jpeg,
  jpegFrame,
  jpegScan,
  jpegSegment,
  png,
  pngChunk,
  webp,
  webpChunk,
  webpExtended,
  webpLossless,
  webpLossy,
} from "./samples/images.js";

const sized: readonly (readonly [what: string, bytes: Buffer, width: number, height: number])[] = [
  ["PNG", png(640, 480), 640, 480],
  ["JPEG", jpeg(640, 480), 640, 480],
  ["progressive JPEG with bytes before its markers", Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xff]), jpegFrame(640, 480, 0xc2)]), 640, 480],
  ["GIF", gif(640, 480), 640, 480],
  ["GIF whose frame is larger than its screen", gif(1, 1, { left: 10, width: 60_000, height: 50_000 }), 60_010, 50_000],
  ["lossy WebP", webp([webpLossy(640, 480)]), 640, 480],
  ["lossless WebP", webp([webpLossless(16_384, 1)]), 16_384, 1],
  ["extended WebP", webp([webpExtended(16_777_216, 480), webpLossy(1, 1)]), 16_777_216, 480],
  ["AVIF", avif([640, 480]), 640, 480],
  ["AVIF of several images", avif([64, 64], [50_000, 50_000], [640, 480]), 50_000, 50_000],
  ["BMP", bmp(640, 480), 640, 480],
  ["BMP from above", bmp(640, -480), 640, 480],
  ["BMP of OS/2", bmp(640, 480, 12), 640, 480],
];

describe("The size of an image", () => {
  test.each(sized)("is read from a %s", (_what, bytes, width, height) => {
    expect(imageSize(bytes)).toEqual({ width, height });
  });

  test.each(sized)("is the same or unknown where a %s ends early, wherever that is", (_what, bytes, width, height) => {
    for (let end = 0; end <= bytes.length; end++) expect([undefined, { width, height }]).toContainEqual(imageSize(bytes.subarray(0, end)));
  });

  test("is unknown where there is none", () => {
    for (const bytes of [png(0, 5), jpeg(5, 0), bmp(0, 0), Buffer.from("text"), jpegSegment(0xd8, "")]) expect(imageSize(bytes)).toBeUndefined();
  });

  test("is read from any bytes without an error, and is made of numbers", () => {
    const damaged = fc
      .tuple(fc.constantFrom(...sized.map(([, bytes]) => bytes)), fc.array(fc.tuple(fc.nat(120), fc.nat(255)), { maxLength: 6 }))
      .map(([bytes, changes]) => {
        const copy = Buffer.from(bytes);
        for (const [at, byte] of changes) if (at < copy.length) copy[at] = byte;
        return copy;
      });
    fc.assert(
      fc.property(damaged, (bytes) => {
        const size = imageSize(bytes);
        expect(size === undefined || (Number.isSafeInteger(size.width) && Number.isSafeInteger(size.height) && size.width > 0)).toBe(true);
        for (const type of ["image/jpeg", "image/png", "image/webp"]) stripMetadata(bytes, type);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });
});

describe("Pixels", () => {
  const check = pixelCheck({ maxPixels: 1_000_000, maxWidth: 2_000 });

  test("may be as many as are allowed", async () => {
    expect(await verdictOn(check, "a.png", png(1_000, 1_000))).toBe("pass");
    expect(await verdictOn(check, "a.txt", "no image")).toBe("pass");
    expect(await verdictOn(check, "a.svg", "<svg/>")).toBe("pass");
  });

  test("of a flood are refused, however few bytes announce them", async () => {
    const flood = png(50_000, 50_000);
    expect(flood.length).toBeLessThan(1_024);
    expect(await judge(pixelCheck(), "a.png", flood)).toMatchObject({
      status: 422,
      code: "IMAGE_TOO_LARGE",
      extensions: { max: 100_000_000, width: 50_000, height: 50_000 },
    });
  });

  test("are refused by width, too", async () => {
    expect(await judge(check, "a.png", png(2_001, 1))).toMatchObject({ extensions: { max: 1_000_000, maxWidth: 2_000, width: 2_001 } });
  });

  test("are found behind much that stands before them", async () => {
    const segments = Array.from({ length: 12 }, () => jpegSegment(0xe2, "x".repeat(60_000)));
    expect(await verdictOn(check, "a.jpg", jpeg(1_000, 1_000, segments))).toBe("pass");
    expect(await verdictOn(check, "a.jpg", jpeg(1_001, 1_000, segments))).toBe("IMAGE_TOO_LARGE");
  });

  test("that cannot be counted are refused", async () => {
    for (const [name, bytes] of [
      ["a.tif", "II*\0"],
      ["a.png", png().subarray(0, 20)],
      ["a.gif", "GIF89a=1;alert(1)"],
    ] as const) {
      expect(await verdictOn(check, name, bytes)).toBe("UNSCANNABLE");
    }
  });
});

const secret = "SECRET";
const profile = jpegSegment(0xe2, "ICC_PROFILE\0colours");
const segments = [
  jpegSegment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), exif(6)])),
  jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${secret}`),
  profile,
  jpegSegment(0xe2, `MPF\0${secret}`),
  jpegSegment(0xed, `Photoshop 3.0\0${secret}`),
  jpegSegment(0xee, "Adobe\0d"),
  jpegSegment(0xfe, secret),
];
const onlyOrientation = Buffer.from("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", "latin1");

function orientationOf(bytes: Uint8Array = Buffer.alloc(0)): number | undefined {
  const at = Buffer.from(bytes).indexOf(onlyOrientation);
  return at === -1 ? undefined : bytes[at + onlyOrientation.length];
}

describe("Metadata", () => {
  test("is taken out of a JPEG but for the colours and the orientation", () => {
    const stripped = Buffer.from(stripMetadata(jpeg(2, 3, segments, `${secret}<html>`), "image/jpeg") ?? []);
    expect(stripped.includes(secret)).toBe(false);
    expect(stripped.includes(profile)).toBe(true);
    expect(orientationOf(stripped)).toBe(6);
    expect(imageSize(stripped)).toEqual({ width: 2, height: 3 });
    expect(stripped.subarray(-jpegScan.length - 2)).toEqual(Buffer.concat([jpegScan, Buffer.from([0xff, 0xd9])]));
  });

  test("is taken out between the scans of a JPEG as well", () => {
    const two = Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      jpegFrame(1, 1),
      jpegScan,
      jpegSegment(0xfe, secret),
      jpegSegment(0xc4, "table"),
      jpegScan,
      Buffer.from([0xff, 0xd9]),
    ]);
    const stripped = Buffer.from(stripMetadata(two, "image/jpeg") ?? []);
    expect(stripped.includes(secret)).toBe(false);
    expect(stripped.length).toBe(two.length - secret.length - 4);
  });

  test("is taken out of a PNG but for what changes the picture, and the orientation", () => {
    const kept = [pngChunk("gAMA", "\0\0\0\x01"), pngChunk("iCCP", "profile"), pngChunk("pHYs", "123456789"), pngChunk("acTL", "12345678")];
    const dropped = [pngChunk("tEXt", `Author\0${secret}`), pngChunk("iTXt", secret), pngChunk("tIME", "1234567"), pngChunk("prVt", secret)];
    const stripped = stripMetadata(png(2, 3, [...kept, ...dropped], secret), "image/png") ?? Buffer.alloc(0);
    expect(stripped).toEqual(png(2, 3, kept));
    expect(orientationOf(stripMetadata(png(2, 3, [pngChunk("eXIf", exif(8, "MM"))]), "image/png"))).toBe(8);
    expect(stripMetadata(png(2, 3, [pngChunk("eXIf", exif(1))]), "image/png")).toEqual(png(2, 3));
  });

  test("is taken out of a WebP but for the colours and the orientation", () => {
    const frame = Buffer.concat([Buffer.alloc(16), webpLossy(2, 3), webpChunk("XMP ", secret)]);
    const chunks = (flags: number, ...rest: Buffer[]) => webp([webpExtended(2, 3, flags), webpChunk("ICCP", "colours"), webpLossy(2, 3), ...rest]);
    const full = webp(
      [webpExtended(2, 3, 0x2c), webpChunk("ICCP", "colours"), webpLossy(2, 3), webpChunk("EXIF", exif(3)), webpChunk("XMP ", secret)],
      secret,
    );
    const stripped = Buffer.from(stripMetadata(full, "image/webp") ?? []);
    expect(stripped.includes(secret)).toBe(false);
    expect([orientationOf(stripped), stripped[20]]).toEqual([3, 0x28]);
    expect(stripMetadata(chunks(0x28, webpChunk("EXIF", exif(1))), "image/webp")).toEqual(chunks(0x20));
    const animation = Buffer.from(stripMetadata(webp([webpExtended(2, 3), webpChunk("ANMF", frame)]), "image/webp") ?? []);
    expect([animation.includes(secret), animation.includes("VP8 ")]).toEqual([false, true]);
  });

  test("is taken out but once: there is none in what is left", async () => {
    for (const [type, bytes] of [
      ["image/jpeg", jpeg(2, 3, segments)],
      ["image/png", png(2, 3, [pngChunk("eXIf", exif(6))])],
      ["image/webp", webp([webpExtended(1, 1, 8), webpLossy(1, 1), webpChunk("EXIF", exif(6))])],
    ] as const) {
      const once = stripMetadata(bytes, type) ?? Buffer.alloc(0);
      expect(stripMetadata(once, type)).toEqual(once);
      expect(await metadataCheck().run(await fileOf("a", once))).toEqual({ verdict: "pass" });
      expect(await metadataCheck().run(await fileOf("a", bytes))).toMatchObject({ verdict: "replace", bytes: once });
    }
  });

  test.each([
    ["image/jpeg", "a.jpg", jpeg(2, 3, segments)],
    ["image/png", "a.png", png(2, 3, [pngChunk("eXIf", exif(6))])],
    ["image/webp", "a.webp", webp([webpExtended(1, 1, 8), webpLossy(1, 1), webpChunk("EXIF", exif(6))])],
  ])("of a damaged %s is not guessed at, wherever it ends", async (type, name, bytes) => {
    for (let end = 0; end < bytes.length; end++) expect(stripMetadata(bytes.subarray(0, end), type)).toBeUndefined();
    expect(await verdictOn(metadataCheck(), name, bytes.subarray(0, -3))).toBe("UNSCANNABLE");
  });

  test("stays where it is in other files, and makes large ones no smaller", async () => {
    expect(stripMetadata(gif(1, 1), "image/gif")).toBeUndefined();
    expect(await verdictOn(metadataCheck(), "a.gif", gif(1, 1))).toBe("pass");
    expect(await verdictOn(metadataCheck({ maxBytes: 40 }), "a.png", png())).toBe("FILE_TOO_LARGE");
    expect(stripMetadata(png(1, 1, [pngChunk("CgBI", "x")]), "image/png")).toBeUndefined();
  });
});
