const instant = "2026-01-31T12:30:45Z";
const uuid = "8f14e45f-ceea-467a-9c17-e9d0d2f6c1a3";

/** Values of a member of a body; `undefined` is a body without it. JSON shows each of the numbers exactly. */
export const values: readonly unknown[] = [
  undefined,
  null,
  true,
  // Numbers.
  ...[0, 1, 3, 5, 10, -1, 0.3, 0.01, 0.07, 4.35, 19.99, 1.005, 1e-7],
  ...[4_294_967_295, 4_294_967_296, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 53, 1e20, 1e39],
  // Texts.
  ...["", " ", "a", "aa", "ab", "abc", "abbc", "AAA", "abcd", "Ünïcödé", "😀", "😀😀😀", "a.b", " ab ", "a\n", "a-1", "A-1", "never"],
  // Texts that are numbers.
  ...["0", "1", "5", "-1", "-0", "01", "+1", "12.50", "999.99", "1000", "1000.00", "0.5", "0.555", ".5", "1e3", "10", "100"],
  ...["9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615"],
  ...["12px", "-3em", "1.5px"],
  // Times.
  ...[instant, "2026-01-31T12:30:45.123Z", "2026-01-31T12:30:45.123456Z", "2026-01-31T12:30Z", "2026-01-31T12:30:45+02:00", "2026-01-31T12:30:45"],
  ...["2026-01-31 12:30:45Z", "2026-02-30T12:30:45Z", "2026-01-31T24:00:00Z", "2026-01-31t12:30:45z", "2025-12-31T23:59:59Z", "2026-12-31T23:59:60Z"],
  ...["2026-01-31", "2026-02-29", "0000-01-01", "12:30:45", "12:30", "12:30:45.123", "25:00:00", "P1D", "PT1.5S", "P1.5D", "P", "-P1D"],
  // Formats.
  ...["ada@example.com", "ada+b@example.org", "a!b@example.com", "ada@localhost", " ada@example.com ", "ada@exämple.com", "a..b@example.com"],
  ...["https://example.com", "https://exämple.com/ä", "http://localhost:3000/a?b#c", "HTTPS://EXAMPLE.COM", "https://例え.テスト", "https://a b.com"],
  ...["https://", "example.com", "javascript:alert(1)", "http:example.com", " https://example.com ", "https://[::1]/"],
  ...[
    uuid,
    uuid.toUpperCase(),
    "00000000-0000-0000-0000-000000000000",
    "8f14e45f-ceea-067a-9c17-e9d0d2f6c1a3",
    "01890a5d-ac96-774b-bcce-b302099a8057",
  ],
  ...["8f14e45f-ceea-467a-1c17-e9d0d2f6c1a3", `urn:uuid:${uuid}`, "V1StGXR8_Z5jdHi6B-myT", "tz4a98xxat96iws9zmbrgj3a", "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
  ...["192.168.0.1", "256.0.0.1", "::1", "fe80::1%eth0", "::ffff:1.2.3.4", "2001:db8::/32", "2001:db8::/129", "00:1a:2b:3c:4d:5e", "-host.example"],
  ...["aGVsbG8=", "aGVsbG8", "QR==", "YQ==", "YWI=", "aGVs bG8=", "a-_b", "+4915112345678", "+0123", "eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "a.b.c"],
  "d41d8cd98f00b204e9800998ecf8427e",
  // Arrays.
  ...[[], [1], [1, 2], [1, 2, 3], [null], [1, "a"], [1, "a", "b"], ["1.25"], ["1.255"], [{ a: 1 }], [{ a: 1, z: 1 }]],
  // Objects.
  ...[{}, { a: 1 }, { a: null }, { a: 1, b: "x" }, { a: 1, b: 2 }, { a: 1, z: 1 }, { a: 1, z: "x" }, { b: 1 }, { a: 1.5 }, { aa: 1 }, { [uuid]: 1 }],
  ...[
    { a: { a: 1 } },
    { a: { a: 1, z: 1 } },
    { o: { a: 1 } },
    { o: { a: 1, z: 1 } },
    { at: instant, n: "5" },
    { at: instant, n: 5 },
    { at: "x", n: "5" },
  ],
  ...[{ kind: "card", last4: "1234" }, { kind: "card", last4: "1", iban: "x" }, { kind: "iban", iban: "DE" }, { kind: "cash" }],
  ...[{ label: "a" }, { label: "a", children: [{ label: "b" }] }, { label: "a", children: [{ label: "b", z: 1 }] }],
];
