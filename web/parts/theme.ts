/** Light or dark: as the system has it, or as was chosen here. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];
const key = 'sonde:theme';

export const theme = (): Theme => themes.find((one) => one === localStorage.getItem(key)) ?? 'system';

export function chooseTheme(chosen: Theme): void {
  if (chosen === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, chosen);
  showTheme(chosen);
}

export function showTheme(chosen: Theme = theme()): void {
  const { dataset } = document.documentElement;
  if (chosen === 'system') delete dataset['theme'];
  else dataset['theme'] = chosen;
}
