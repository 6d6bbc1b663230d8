"""What PAL knows of people, companies, ideas and research: a Markdown page each, with typed links between them."""
