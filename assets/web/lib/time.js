// Moments in words: short where a glance is enough, whole where somebody asks.

const STEPS = [[60, "s"], [60, "min"], [24, "h"], [7, "d"], [5, "w"], [Infinity, "mo"]];

/** "3 min", "2 d"; empty for no time. */
export function age(iso, now = Date.now()) {
  const began = Date.parse(iso);
  if (Number.isNaN(began)) return "";
  let amount = Math.max(0, (now - began) / 1000);
  if (amount < 45) return "now";
  for (const [size, unit] of STEPS) {
    if (amount < size || size === Infinity) return `${Math.round(unit === "mo" ? amount / 0.86 : amount)} ${unit}`;
    amount /= size;
  }
  return "";
}

const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export const whole = (iso) => (Number.isNaN(Date.parse(iso)) ? "" : WHOLE.format(new Date(iso)));
export const clock = (iso) => (Number.isNaN(Date.parse(iso)) ? "" : CLOCK.format(new Date(iso)));
