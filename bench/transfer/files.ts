const cities = ["Oslo", "Zürich", "São Paulo", "Kyiv", "東京"];

/** A user of a file, with members that differ from row to row. */
function userOf(round: string, index: number, title = "Customer") {
  return {
    name: `${title} Number ${index}`,
    email: `customer.${index}.${round}@example.com`,
    status: index % 25 === 0 ? "inactive" : "active",
    tags: ["customer", `segment-${index % 7}`],
    city: cities[index % cities.length] ?? "",
    country: "Somewhere",
  };
}

/**
 * @param round is part of the e-mail addresses: no two files share any
 * @param title is part of the names
 */
export function csvFile(round: string, rows: number, title?: string): Buffer {
  const lines = Array.from({ length: rows }, (_, index) => {
    const { name, email, status, tags, city, country } = userOf(round, index, title);
    return `"${name}",${email},${status},${tags.join("|")},${city},${country}\r\n`;
  });
  return Buffer.from(`name,email,status,tags,address.city,address.country\r\n${lines.join("")}`);
}

export function ndjsonFile(round: string, rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, index) => {
    const { city, country, ...user } = userOf(round, index);
    return `${JSON.stringify({ ...user, address: { city, country } })}\n`;
  });
  return Buffer.from(lines.join(""));
}
